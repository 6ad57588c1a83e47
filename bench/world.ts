import { readConfig } from '../src/config.js';
import { type AppContext, callContext } from '../src/context.js';
import { createApplication } from '../src/domain/applications/index.js';
import type { CallContext } from '../src/domain/call.js';
import { createChannel } from '../src/domain/channels/create.js';
import { createGuild } from '../src/domain/guilds/index.js';
import { userNameKeys } from '../src/domain/members/name-keys.js';
import { createWebhook } from '../src/domain/webhooks/index.js';
import type { Database, User } from '../src/infra/database/index.js';
import { createServer } from '../src/server.js';
import { throwAwayFolder } from './scratch.js';

/** A stopped data folder with a guild, its owner, channels, messages and bots. */
export interface World {
  dataDir: string;
  personToken: string;
  guildId: string;
  channelIds: string[];
  /** `Bot` tokens of the guild's bots. */
  botTokens: string[];
  /** A webhook of the first bot in the first channel, if requested. */
  webhook: { id: string; token: string } | null;
}

export interface WorldSize {
  channels: number;
  messagesPerChannel: number;
  bots: number;
  /** Number of members besides the owner, named `person.0` and so on. Default: none. */
  people?: number;
  webhook?: boolean;
}

/**
 * Makes a guild of the given size, with a server that stops afterwards.
 * @param settings of the server, such as its database
 */
export async function createWorld(size: WorldSize, settings: NodeJS.ProcessEnv = {}): Promise<World> {
  const dataDir = await throwAwayFolder();
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error', ...settings }),
  );
  const origin = await server.start();
  try {
    const { token, userId } = await signUp(origin);
    const user = await server.app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(userId) } });
    const call = callContext(server.app, { kind: 'person', user });
    const guildId = (await createGuild(call, { name: 'Measured' })).id;
    const channelIds = await addChannels(call, guildId, size.channels);
    const bots = await addBots(server.app, user, guildId, size.bots);
    await addPeople(call, server.app.db, guildId, size.people ?? 0);
    await fillChannels(call, server.app.db, channelIds, bots[0]?.id ?? user.id, size.messagesPerChannel);
    const [applicationId, channelId] = [bots[0]?.id, channelIds[0]];
    const isAsked = size.webhook && applicationId !== undefined && channelId !== undefined;
    const made = isAsked ? await createWebhook(call, { applicationId, channelId, name: 'Measured' }) : null;
    return {
      dataDir,
      personToken: token,
      guildId: String(guildId),
      channelIds: channelIds.map(String),
      botTokens: bots.map((bot) => bot.token),
      webhook: made && { id: String(made.webhook.id), token: made.token },
    };
  } finally {
    await server.stop();
  }
}

/**
 * Makes an account.
 * @returns its session, also as a browser cookie, and its user
 */
export async function signUp(origin: string): Promise<{ token: string; cookie: string; userId: string }> {
  const answer = await fetch(`${origin}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', email: 'ada@bench.example', password: 'causeway-bench' }),
  });
  if (!answer.ok) throw new Error(`sign-up answered ${answer.status}: ${await answer.text()}`);
  const { token, user } = (await answer.json()) as { token: string; user: { id: string } };
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return { token, cookie, userId: user.id };
}

async function addChannels(call: CallContext, guildId: bigint, count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await createChannel(call, guildId, { name: `channel-${index}` })).id);
  }
  return ids;
}

/** Most applications of one person in this world. */
const BOTS_PER_PERSON = 200;

/**
 * Applications whose bots are plain members. An installation would add a role, and a guild has at most 250.
 * @param owner of the first bots; further ones have owners of their own
 */
async function addBots(
  app: AppContext,
  owner: User,
  guildId: bigint,
  count: number,
): Promise<{ id: bigint; token: string }[]> {
  const { db } = app;
  const bots: { id: bigint; token: string }[] = [];
  let call = callContext(app, { kind: 'person', user: owner });
  for (let index = 0; index < count; index += 1) {
    if (index > 0 && index % BOTS_PER_PERSON === 0) {
      const name = `owner.${index}`;
      const user = await db.writer.user.create({ data: { id: app.nextId(), username: name, handle: name } });
      call = callContext(app, { kind: 'person', user });
    }
    const { application, botToken } = await createApplication(call, { name: `Bot ${index}` });
    bots.push({ id: application.id, token: botToken });
  }
  await putMembers(db, [guildId], await db.reader.user.findMany({ where: { id: { in: bots.map(({ id }) => id) } } }));
  return bots;
}

/** Many members named `person.0` and so on. */
export async function addPeople(call: CallContext, db: Database, guildId: bigint, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, index) => {
    const name = `person.${index}`;
    return { id: call.nextId(), username: name, handle: name, globalName: null };
  });
  await db.writer.user.createMany({ data: people });
  await putMembers(db, [guildId], people);
}

export async function putMembers(
  db: Database,
  guildIds: bigint[],
  users: Pick<User, 'id' | 'username' | 'globalName'>[],
): Promise<void> {
  const joinedAt = new Date();
  const rows = users.map((user) => ({ userId: user.id, joinedAt, ...userNameKeys(user) }));
  await db.writer.member.createMany({ data: guildIds.flatMap((guildId) => rows.map((row) => ({ guildId, ...row }))) });
  await db.writer.guild.updateMany({
    where: { id: { in: guildIds } },
    data: { memberCount: { increment: users.length } },
  });
}

/** Messages in bulk: the rows of sent messages, one channel at a time. */
export async function fillChannels(
  call: CallContext,
  db: Database,
  channelIds: bigint[],
  authorId: bigint,
  count: number,
): Promise<void> {
  for (const channelId of channelIds) {
    const messages = Array.from({ length: count }, (_, index) => ({
      id: call.nextId(),
      channelId,
      authorId,
      content: `Message ${index}: the tide is in, the causeway is shut, and the ferry leaves at noon.`,
      embeds: [],
      components: [],
      mentionUserIds: [],
      mentionRoleIds: [],
    }));
    await db.writer.message.createMany({ data: messages });
  }
}
