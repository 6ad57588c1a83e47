import type { User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';

/**
 * Hides bots of private applications that are unrelated to the caller, so that a public id does not reveal their names.
 * @param here recipients of the current direct channel, who are always visible
 * @throws UNAUTHENTICATED
 */
export async function shownByIds<Found extends Pick<User, 'id' | 'bot'>>(
  call: CallContext,
  users: readonly Found[],
  here: readonly bigint[] = [],
): Promise<Found[]> {
  const { user: caller } = requireUser(call);
  const bots = users.filter(({ id, bot }) => bot && id !== caller.id && !here.includes(id)).map(({ id }) => id);
  const hidden = await privateBots(call, bots);
  const known = [await botsByApplication(call, hidden, caller.id), await botsByServer(call, hidden, caller.id)];
  return users.filter(({ id }) => !hidden.includes(id) || known.some((ids) => ids.has(id)));
}

async function privateBots({ read }: CallContext, ids: bigint[]): Promise<bigint[]> {
  if (ids.length === 0) return [];
  const applications = await read.application.findMany({
    where: { id: { in: ids }, public: false },
    select: { id: true },
  });
  return applications.map(({ id }) => id);
}

async function botsByApplication({ read }: CallContext, ids: bigint[], userId: bigint): Promise<Set<bigint>> {
  if (ids.length === 0) return new Set();
  const mine = { some: { userId } };
  const applications = await read.application.findMany({
    where: {
      id: { in: ids },
      OR: [
        { ownerUserId: userId },
        { transferredById: userId },
        { ownerTeam: { members: mine } },
        { testers: mine },
        { installations: { some: { installerId: userId } } },
      ],
    },
    select: { id: true },
  });
  return new Set(applications.map(({ id }) => id));
}

/** Bots that are in, or banned from, a guild of the user. */
async function botsByServer({ read }: CallContext, ids: bigint[], userId: bigint): Promise<Set<bigint>> {
  if (ids.length === 0) return new Set();
  const where = { userId: { in: ids }, guild: { members: { some: { userId } } } };
  const only = { where, select: { userId: true }, distinct: ['userId' as const] };
  const [members, bans] = await Promise.all([read.member.findMany(only), read.ban.findMany(only)]);
  return new Set([...members, ...bans].map((row) => row.userId));
}
