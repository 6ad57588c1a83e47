import { type Guild, Prisma, type User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { hideGuild } from '../guilds/delete.js';
import { WITH_ROLES_AND_EMOJIS } from '../guilds/record.js';
import { findPerson, requireOperator } from './access.js';
import { type InstancePage, idsOfPage, orderOf, searched } from './page.js';

export type OwnedGuild = Guild & { owner: User };

export interface ServersQuery extends InstancePage {
  /** Part of a name, or an id. */
  search?: string | undefined;
  ownerId?: bigint | undefined;
}

/** In the page's direction, by id. Without servers on boxes. @throws NOT_FOUND */
export async function listServers(call: CallContext, query: ServersQuery): Promise<OwnedGuild[]> {
  await requireOperator(call, 'MODERATOR');
  const conditions = [
    ...searched(query.search, ['name']),
    Prisma.sql`"deletedAt" IS NULL`,
    ...(query.ownerId === undefined ? [] : [Prisma.sql`"ownerId" = ${query.ownerId}`]),
  ];
  const ids = await idsOfPage(call.read, { from: Prisma.sql`"Guild"`, conditions }, query);
  return call.read.guild.findMany({
    where: { id: { in: ids } },
    orderBy: { id: orderOf(query) },
    include: { owner: true },
  });
}

/** @throws NOT_FOUND, UNKNOWN_GUILD */
export async function getServer(call: CallContext, id: bigint): Promise<OwnedGuild> {
  await requireOperator(call, 'MODERATOR');
  const guild = await call.read.guild.findUnique({ where: { id, deletedAt: null }, include: { owner: true } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return guild;
}

export interface ServerFigures {
  messages: number;
  channels: number;
}

/** The caller must be an operator. */
export async function figuresOfServer({ read }: CallContext, guildId: bigint): Promise<ServerFigures> {
  const [messages, channels] = await Promise.all([
    read.message.count({ where: { channel: { guildId } } }),
    read.channel.count({ where: { guildId } }),
  ]);
  return { messages, channels };
}

interface Acted {
  guildId: bigint;
  reason: string;
}

/**
 * The new owner must be a member. The former owner stays one.
 * @throws NOT_FOUND, UNKNOWN_GUILD, UNKNOWN_USER, INVALID_INPUT for a person who is no member or is suspended
 */
export async function transferServer(call: CallContext, input: Acted & { ownerId: bigint }): Promise<OwnedGuild> {
  await requireOperator(call, 'MODERATOR');
  const { guildId, ownerId, reason } = input;
  return call.because(reason).write(
    async ({ db, audit, record }) => {
      await requireOperator(call, 'MODERATOR', db);
      const include = { ...WITH_ROLES_AND_EMOJIS, owner: true };
      const before = await db.guild.findUnique({ where: { id: guildId, deletedAt: null }, include });
      if (!before) throw new DomainError('UNKNOWN_GUILD');
      if (before.ownerId === ownerId) return before;
      await requirePossibleOwner(db, guildId, ownerId);
      const guild = await db.guild.update({ where: { id: guildId }, data: { ownerId }, include });
      const changes = { ownerId: { old: String(before.ownerId), new: String(ownerId) } };
      await audit({ action: 'GUILD_UPDATE', guildId, targetId: guildId, changes });
      await audit({ action: 'SERVER_TRANSFER', targetId: guildId, changes: { ...changes, name: before.name } });
      record({ type: 'GUILD_UPDATE', guild });
      for (const userId of [before.ownerId, ownerId]) record({ type: 'PORTAL_HOME_UPDATED', userId });
      return guild;
    },
    { streams: [topics.guild(guildId)] },
  );
}

async function requirePossibleOwner(
  db: Pick<CallContext['read'], 'authUser' | 'member'>,
  guildId: bigint,
  userId: bigint,
): Promise<void> {
  const { name, suspendedAt } = await findPerson(db, userId);
  const isMember = (await db.member.count({ where: { guildId, userId } })) > 0;
  if (isMember && suspendedAt === null) return;
  const message = isMember ? `${name} is suspended.` : `${name} is not a member of the server.`;
  throw invalidInput({ path: 'ownerId', code: 'BASE_TYPE_INVALID', message });
}

/** Hides the server at once; a job removes its contents. @throws NOT_FOUND, UNKNOWN_GUILD */
export async function deleteServer(call: CallContext, { guildId, reason }: Acted): Promise<void> {
  const { name } = await getServer(call, guildId);
  await hideGuild(call.because(reason), guildId, async ({ db, audit }) => {
    await requireOperator(call, 'MODERATOR', db);
    await audit({ action: 'SERVER_DELETE', targetId: guildId, changes: { name } });
  });
}
