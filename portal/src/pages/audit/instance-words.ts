import { INSTANCE_ACTIONS } from '../../gql/audit-actions.js';
import { type Group, starting } from './language.js';

export type InstanceAction = (typeof INSTANCE_ACTIONS)[number];

/** Labels in the filter. */
export const INSTANCE_WORDS: Record<InstanceAction, string> = {
  OPERATOR_UPDATE: 'Operator role changed',
  PERSON_SUSPEND: 'Person suspended',
  PERSON_RESTORE: 'Person restored',
  PERSON_SIGN_OUT: 'Person signed out',
  PERSON_DELETE: 'Person deleted',
  PERSON_PASSWORD_LINK: 'Password link created',
  PERSON_EXPORT: 'Data of a person exported',
  APPLICATION_SUSPEND: 'Application suspended',
  APPLICATION_RESTORE: 'Application restored',
  SERVER_TRANSFER: 'Server transferred',
  SERVER_DELETE: 'Server deleted',
  INVITATION_CREATE: 'Invitation created',
  INVITATION_REVOKE: 'Invitation revoked',
  LIMIT_UPDATE: 'Limit changed',
  BOX_DISCONNECT: 'Box disconnected',
};

export const INSTANCE_GROUPS: readonly Group[] = [
  { key: 'people', text: 'People', actions: starting(INSTANCE_ACTIONS, 'PERSON', 'OPERATOR', 'INVITATION') },
  { key: 'applications', text: 'Applications', actions: starting(INSTANCE_ACTIONS, 'APPLICATION') },
  { key: 'servers', text: 'Servers', actions: starting(INSTANCE_ACTIONS, 'SERVER') },
  { key: 'limits', text: 'Limits', actions: starting(INSTANCE_ACTIONS, 'LIMIT') },
  { key: 'boxes', text: 'Boxes', actions: starting(INSTANCE_ACTIONS, 'BOX') },
];
