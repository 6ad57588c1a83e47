import { hash } from '@node-rs/argon2';
import { WITH_ROLES_AND_EMOJIS } from '../../src/domain/guilds/index.js';
import { nickColumns, userNameKeys } from '../../src/domain/members/name-keys.js';
import { WITH_USER_AND_ROLES } from '../../src/domain/members/record.js';
import { makeWebhookToken, tokenColumns } from '../../src/domain/webhooks/tokens.js';
import type { Channel, Prisma, User, Webhook } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';
import type { TestBot, TestGuild } from './world.js';

/**
 * Inserts rows that no function of the platform makes, or not in such numbers:
 * - users without an account, whose password needs no hashing
 * - later permissions of roles, and denials in channels
 * - nicknames of members
 * - direct channels
 * - last visits and presences of users
 * - webhooks with a cheap token hash
 * - many members, guilds, bots or channels
 *
 * `world.ts` calls the functions of the platform for all other objects.
 */
type App = Server['app'];

let people = 0;

export function createPerson(app: App, name = `person${++people}`): Promise<User> {
  const id = app.nextId();
  return app.db.writer.user.create({ data: { id, username: name, handle: name, globalName: name } });
}

/** Puts a user into the guild's first voice channel, without an event. */
export async function putInVoice(app: App, key: { guildId: bigint; userId: bigint }): Promise<void> {
  const { id: channelId } = await app.db.reader.channel.findFirstOrThrow({
    where: { guildId: key.guildId, type: 2 },
    orderBy: { id: 'asc' },
  });
  const state = { ...key, channelId, sessionId: `voice of ${key.userId}`, processId: app.live.id };
  await app.db.writer.voiceState.upsert({ where: { guildId_userId: key }, create: state, update: state });
}

export const DAY_MS = 86_400_000;

export async function putAccounts(app: App, people: readonly Pick<User, 'id'>[], days: number): Promise<void> {
  const [now, seenAt] = [new Date(app.clock.now()), new Date(app.clock.now() - days * DAY_MS)];
  const userIds = people.map(({ id }) => id);
  const { count } = await app.db.writer.authUser.updateMany({ where: { userId: { in: userIds } }, data: { seenAt } });
  if (count > 0) return;
  const row = { name: 'name', createdAt: now, updatedAt: now, seenAt };
  const data = userIds.map((userId) => ({ id: String(userId), userId, email: `${userId}@people.example`, ...row }));
  await app.db.writer.authUser.createMany({ data });
}

/** Makes a user online, without an event. */
export async function putPresence(app: App, { id: userId }: Pick<User, 'id'>): Promise<void> {
  const data = { sessionId: `presence of ${userId}`, userId, processId: app.live.id, status: 'online', activities: [] };
  await app.db.writer.presence.create({ data });
}

export async function createBots(
  app: App,
  count: number,
  owner: Pick<Prisma.ApplicationUncheckedCreateInput, 'ownerUserId' | 'ownerTeamId'>,
): Promise<void> {
  const ids = Array.from({ length: count }, () => app.nextId());
  await app.db.writer.user.createMany({ data: ids.map((id) => ({ id, username: `bot ${id}`, bot: true })) });
  await app.db.writer.application.createMany({
    data: ids.map((id) => ({
      id,
      name: `bot ${id}`,
      publicKey: '00',
      privateKey: '00',
      serverInstallScopes: [],
      userInstallScopes: [],
      redirectUris: [],
      ...owner,
    })),
  });
}

/** Adds many members named `crowd0` and so on. */
export async function addCrowd(app: App, guildId: bigint, count: number): Promise<void> {
  await addNamed(
    app,
    guildId,
    Array.from({ length: count }, (_, n) => `crowd${n}`),
  );
}

export async function addNamed(app: App, guildId: bigint, usernames: string[]): Promise<bigint[]> {
  const users = usernames.map((username) => ({ id: app.nextId(), username, globalName: null }));
  await app.db.writer.user.createMany({ data: users });
  await putMembers(app, [guildId], users);
  return users.map(({ id }) => id);
}

export async function putInGuilds(app: App, ids: bigint[], owner: User, ...members: User[]): Promise<void> {
  await app.db.writer.guild.createMany({ data: ids.map((id) => ({ id, name: 'many', ownerId: owner.id })) });
  await app.db.writer.role.createMany({ data: ids.map((id) => ({ id, guildId: id, name: '@everyone' })) });
  await putMembers(app, ids, members);
}

/** Makes all users members of all guilds, without events. */
export async function putMembers(
  app: App,
  guildIds: bigint[],
  users: Pick<User, 'id' | 'username' | 'globalName'>[],
  joinedAt = new Date(app.clock.now()),
): Promise<void> {
  const rows = users.map((user) => ({ userId: user.id, joinedAt, ...userNameKeys(user) }));
  const data = guildIds.flatMap((guildId) => rows.map((row) => ({ guildId, ...row })));
  await app.db.writer.member.createMany({ data });
  await app.db.writer.guild.updateMany({
    where: { id: { in: guildIds } },
    data: { memberCount: { increment: users.length } },
  });
}

export async function createChannels(app: App, guildId: bigint, count: number): Promise<void> {
  const data = Array.from({ length: count }, (_, n) => ({
    id: app.nextId(),
    guildId,
    name: `channel ${n}`,
    position: n + 2,
  }));
  await app.db.writer.channel.createMany({ data });
}

/** Sets the permissions of `@everyone` in the guild. */
export async function permitEveryone(app: App, guildId: bigint, permissions: bigint): Promise<void> {
  const role = await app.db.writer.role.update({ where: { id: guildId }, data: { permissions } });
  app.publish({ type: 'GUILD_ROLE_UPDATE', role });
}

export async function nameMember(app: App, guildId: bigint, { id: userId }: User, nick: string): Promise<void> {
  const member = await app.db.writer.member.update({
    where: { guildId_userId: { guildId, userId } },
    data: nickColumns(nick),
    include: WITH_USER_AND_ROLES,
  });
  app.publish({ type: 'GUILD_MEMBER_UPDATE', member });
}

/** Denies permissions in a channel to `@everyone`. */
export async function denyInChannel(
  { app }: Pick<Server, 'app'>,
  { id }: { id: string },
  channelId: string,
  deny: bigint,
): Promise<void> {
  const guildId = BigInt(id);
  const key = { channelId: BigInt(channelId), targetId: guildId };
  await app.db.writer.channelOverwrite.upsert({
    where: { channelId_targetId: key },
    create: { ...key, targetType: 0, deny },
    update: { deny },
  });
  const guild = await app.db.reader.guild.findUniqueOrThrow({ where: { id: guildId }, include: WITH_ROLES_AND_EMOJIS });
  app.publish({ type: 'GUILD_UPDATE', guild });
}

export function createDirectChannel(app: App, ...recipients: User[]): Promise<Channel> {
  const create = recipients.map(({ id: userId }) => ({ userId }));
  return app.db.writer.channel.create({
    data: { id: app.nextId(), guildId: null, type: 1, name: '', recipients: { create } },
  });
}

export async function putSlowMode(app: App, channelId: bigint, rateLimitPerUser: number): Promise<void> {
  const { guild } = await app.db.writer.channel.update({
    where: { id: channelId },
    data: { rateLimitPerUser },
    include: { guild: { include: WITH_ROLES_AND_EMOJIS } },
  });
  if (guild) app.publish({ type: 'GUILD_UPDATE', guild });
}

/** The lowest cost of a hash. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A webhook, without an event. Default: of a bot's application, in a guild's first channel. */
export async function putWebhook(
  app: App,
  { bot, guild }: { bot: Pick<TestBot, 'id'>; guild: Pick<TestGuild, 'id' | 'channel'> },
  facts: Partial<Prisma.WebhookUncheckedCreateInput> = {},
): Promise<{ webhook: Webhook; token: string }> {
  const token = makeWebhookToken();
  const webhook = await app.db.writer.webhook.create({
    data: {
      id: app.nextId(),
      applicationId: bot.id,
      guildId: guild.id,
      channelId: guild.channel.id,
      name: 'hook',
      tokenHash: await hash(token, CHEAP),
      ...tokenColumns(token),
      creatorId: bot.id,
      ...facts,
    },
  });
  return { webhook, token };
}

/**
 * Many webhooks with unknown tokens.
 * @returns their ids, oldest first
 */
export async function putWebhooks(
  { app }: { app: App },
  count: number,
  data: Partial<Prisma.WebhookCreateManyInput> &
    Pick<Prisma.WebhookCreateManyInput, 'applicationId' | 'guildId' | 'channelId' | 'creatorId'>,
): Promise<bigint[]> {
  const ids = Array.from({ length: count }, () => app.nextId());
  const facts = { name: 'Row', tokenHash: '', tokenPrefix: 'abcdefgh', tokenLast4: 'wxyz', ...data };
  await app.db.writer.webhook.createMany({ data: ids.map((id) => ({ ...facts, id })) });
  return ids;
}
