import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type AppContext, callContext } from '../context.js';
import {
  endOwnSessions,
  endSession,
  listSessions,
  type OwnSession,
  type SessionOwner,
} from '../domain/accounts/index.js';
import { type CallContext, requirePerson } from '../domain/call.js';
import { parseInput } from '../domain/parse-input.js';
import type { FindPerson, Visitor } from '../http/page-sessions.js';
import type { Auth } from './auth.js';
import { sessionHash } from './sessions.js';
import { signOut } from './sign-in.js';

/** @throws UNAUTHENTICATED */
export async function requireOwner(
  app: AppContext,
  findPerson: FindPerson,
  headers: IncomingHttpHeaders,
): Promise<{ call: CallContext; owner: SessionOwner }> {
  const call = callContext(app, await findPerson(headers));
  const { user } = requirePerson(call);
  return { call, owner: { userId: user.id, session: sessionHash(headers) } };
}

/**
 * Newest first.
 * @throws UNAUTHENTICATED
 */
export async function listOwnSessions(
  app: AppContext,
  findPerson: FindPerson,
  visitor: Visitor,
): Promise<OwnSession[]> {
  const { call, owner } = await requireOwner(app, findPerson, visitor.headers);
  return listSessions(call, owner);
}

const Which = z.object({ id: z.string().max(64) });

/** @throws UNAUTHENTICATED, INVALID_INPUT, UNKNOWN_SESSION */
export async function revokeSession(
  app: AppContext,
  findPerson: FindPerson,
  body: unknown,
  visitor: Visitor,
): Promise<void> {
  const { call, owner } = await requireOwner(app, findPerson, visitor.headers);
  await endSession(call, owner.userId, parseInput(Which, body));
}

/**
 * Keeps the caller's session.
 * @throws UNAUTHENTICATED
 */
export async function revokeOtherSessions(app: AppContext, findPerson: FindPerson, visitor: Visitor): Promise<void> {
  const { call, owner } = await requireOwner(app, findPerson, visitor.headers);
  await endOwnSessions(call, owner);
}

/**
 * @returns the sign-out response, which clears the cookie
 * @throws UNAUTHENTICATED
 */
export async function revokeSessions(
  app: AppContext,
  auth: Auth,
  findPerson: FindPerson,
  visitor: Visitor,
): Promise<Response> {
  const { call, owner } = await requireOwner(app, findPerson, visitor.headers);
  const response = await signOut(app, auth, findPerson, visitor);
  await endOwnSessions(call, { ...owner, session: null });
  return response;
}
