import type { Application, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { Scope } from '../installations/scopes.js';

export interface Authorization {
  application: Application;
  scopes: readonly Scope[];
  expiresAt: Date;
  /** Null without the scope `identify`. */
  user: User | null;
}

/** @throws UNAUTHENTICATED, UNKNOWN_APPLICATION */
export async function getAuthorization(call: CallContext): Promise<Authorization> {
  const { actor } = call;
  if (actor.kind !== 'token') throw new DomainError('UNAUTHENTICATED', 'This request requires an OAuth2 access token.');
  const application = await call.read.application.findUnique({ where: { id: actor.applicationId, deletedAt: null } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  const { scopes, expiresAt, user } = actor;
  return { application, scopes, expiresAt, user: scopes.includes('identify') ? user : null };
}
