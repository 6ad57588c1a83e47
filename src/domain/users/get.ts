import type { User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { shownByIds } from './shown-by-id.js';

/** Includes deleted users. May hide bots of private applications. @throws UNAUTHENTICATED, UNKNOWN_USER */
export async function getUser(call: CallContext, id: bigint): Promise<User> {
  requireUser(call);
  const [user = null] = await shownByIds(call, await call.read.user.findMany({ where: { id } }));
  return known(user);
}

/** Finds only people, because bot usernames are not unique. @throws UNAUTHENTICATED, UNKNOWN_USER */
export async function getUserByName(call: CallContext, name: string): Promise<User> {
  requireUser(call);
  const isHandle = /^[a-z0-9._]+$/.test(name);
  return known(isHandle ? await call.read.user.findUnique({ where: { handle: name } }) : null);
}

function known(user: User | null): User {
  if (!user) throw new DomainError('UNKNOWN_USER');
  return user;
}
