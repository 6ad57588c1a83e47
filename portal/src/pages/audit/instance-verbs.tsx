import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InstanceLimitKind } from '../../gql/types.js';
import { type Changes, changedIn, textIn, Value } from './changes.js';
import type { InstanceAction } from './instance-words.js';
import type { Told, Verb } from './language.js';

function person({ target, targetId }: Told): ReactNode {
  return <PersonLink id={targetId}>{target}</PersonLink>;
}

function PersonLink({ id, children }: { id: string | null; children: ReactNode }) {
  if (id === null) return children;
  return (
    <Link to="/instance/people/$personId" params={{ personId: id }}>
      {children}
    </Link>
  );
}

function application({ target, targetId }: Told): ReactNode {
  if (targetId === null) return target;
  return (
    <Link to="/instance/applications/$applicationId" params={{ applicationId: targetId }}>
      {target}
    </Link>
  );
}

function server({ target, targetId }: Told): ReactNode {
  if (targetId === null) return target;
  return (
    <Link to="/instance/servers/$guildId" params={{ guildId: targetId }}>
      {target}
    </Link>
  );
}

/** For example “, with the text “Write to us””. */
function withText(changes: Changes): ReactNode {
  const text = textIn(changes, 'text');
  if (text === '') return null;
  return (
    <>
      , with the text <Value of={text} />
    </>
  );
}

const ROLES: Record<string, string> = { OPERATOR: 'an operator', MODERATOR: 'a moderator' };

/** The first operator of the instance acts on themselves. */
function roleChanged(told: Told): ReactNode {
  const role = changedIn(told.changes, 'role');
  const now = ROLES[String(role?.new)];
  if (told.isOwn) return `became ${now}`;
  if (now === undefined)
    return (
      <>
        took the role away from {person(told)}, who was {ROLES[String(role?.old)]}
      </>
    );
  return (
    <>
      made {person(told)} {now}
    </>
  );
}

function transferred(told: Told): ReactNode {
  const owner = changedIn(told.changes, 'ownerId');
  const id = typeof owner?.new === 'string' ? owner.new : null;
  return (
    <>
      transferred the server {server(told)} to{' '}
      <PersonLink id={id}>
        <code>{id}</code>
      </PersonLink>
    </>
  );
}

function deleted(told: Told): ReactNode {
  const parts = [
    told.changes.withMessages === true && 'messages',
    told.changes.withOwned === true && 'servers, teams and boxes',
  ].filter((part) => part !== false);
  return (
    <>
      deleted {person(told)}
      {parts.length > 0 && `, with ${parts.join(', ')}`}
    </>
  );
}

const LIMITS: Record<string, string> = {
  SIGN_UPS: 'sign-ups',
  MESSAGES: 'messages',
  FILES: 'files',
  GUILDS: 'servers',
  IDENTIFIES: 'gateway sessions',
  REQUESTS: 'requests',
} satisfies Record<InstanceLimitKind, string>;

/** An address has no target. */
function limitChanged({ changes, target, targetId }: Told): ReactNode {
  const kind = textIn(changes, 'kind');
  const subject = textIn(changes, 'subject');
  const value = changedIn(changes, 'value');
  return (
    <>
      changed the limit of {LIMITS[kind] ?? kind}
      {subject !== '' && <> for {targetId === '0' ? <code>{subject}</code> : target}</>} from {valueWords(value?.old)}{' '}
      to {valueWords(value?.new)}
    </>
  );
}

function valueWords(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : 'the default';
}

export const INSTANCE_VERBS: Record<InstanceAction, Verb> = {
  OPERATOR_UPDATE: roleChanged,
  PERSON_SUSPEND: (told) => (
    <>
      suspended {person(told)}
      {withText(told.changes)}
    </>
  ),
  PERSON_RESTORE: (told) => <>restored {person(told)}</>,
  PERSON_SIGN_OUT: (told) => <>signed {person(told)} out everywhere</>,
  PERSON_DELETE: deleted,
  PERSON_PASSWORD_LINK: (told) => <>created a password link for {person(told)}</>,
  PERSON_EXPORT: (told) => <>exported the data of {person(told)}</>,
  APPLICATION_SUSPEND: (told) => (
    <>
      suspended the application {application(told)}
      {withText(told.changes)}
    </>
  ),
  APPLICATION_RESTORE: (told) => <>restored the application {application(told)}</>,
  SERVER_TRANSFER: transferred,
  SERVER_DELETE: ({ target }) => <>deleted the server {target}</>,
  INVITATION_CREATE: ({ target }) => <>created the invitation {target}</>,
  INVITATION_REVOKE: ({ target }) => <>revoked the invitation {target}</>,
  LIMIT_UPDATE: limitChanged,
  BOX_DISCONNECT: ({ target }) => <>disconnected the box {target}</>,
};
