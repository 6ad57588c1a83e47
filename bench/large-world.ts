import { readConfig } from '../src/config.js';
import { callContext } from '../src/context.js';
import { createApplication } from '../src/domain/applications/index.js';
import type { CallContext } from '../src/domain/call.js';
import { createGuild } from '../src/domain/guilds/index.js';
import { Permission } from '../src/domain/permissions.js';
import type { Database } from '../src/infra/database/index.js';
import { snowflakeAt } from '../src/infra/ids/ids.js';
import { createServer } from '../src/server.js';
import { throwAwayFolder } from './scratch.js';
import { putMembers, signUp } from './world.js';

export interface GuildSize {
  members: number;
  channels: number;
  roles: number;
  /** All of them are in the guild's first channel. */
  messages: number;
}

/** A guild in which `@everyone` has all permissions. */
export interface FilledGuild {
  guildId: string;
  channelId: string;
  /** The ids of the messages, oldest first, in equal steps. */
  firstMessageId: bigint;
  messageStep: bigint;
  messages: number;
  personId: bigint;
  /** The common beginning of all usernames. */
  usernames: string;
  /** `Bot` token of a bot that is a member of this guild only. */
  botToken: string;
}

const SAID_WITHIN_MS = 10 * 86_400_000;

/** Makes guilds of these sizes in one data folder without a running server. Most rows are inserted directly. */
export async function createFilledGuilds<Name extends string>(
  sizes: Record<Name, GuildSize>,
): Promise<{ dataDir: string; guilds: Record<Name, FilledGuild> }> {
  const dataDir = await throwAwayFolder();
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' }),
  );
  const origin = await server.start();
  try {
    const { db } = server.app;
    const { userId } = await signUp(origin);
    const user = await db.reader.user.findUniqueOrThrow({ where: { id: BigInt(userId) } });
    const call = callContext(server.app, { kind: 'person', user });
    const guilds = {} as Record<Name, FilledGuild>;
    for (const name of Object.keys(sizes) as Name[]) guilds[name] = await fillGuild(call, db, name, sizes[name]);
    return { dataDir, guilds };
  } finally {
    await server.stop();
  }
}

async function fillGuild(call: CallContext, db: Database, name: string, size: GuildSize): Promise<FilledGuild> {
  const { id: guildId } = await createGuild(call, { name });
  const permissions = Permission.Administrator;
  await db.writer.role.update({ where: { id: guildId }, data: { permissions } });
  const { application, botToken } = await createApplication(call, { name: `Bot of ${name}` });
  await putMembers(db, [guildId], [await db.reader.user.findUniqueOrThrow({ where: { id: application.id } })]);
  const usernames = `${name}.person`;
  const personId = await addPeople(db, guildId, usernames, size.members);
  const { id: channelId } = await db.reader.channel.findFirstOrThrow({ where: { guildId, type: 0 } });
  const channels = Array.from({ length: size.channels - 2 }, (_, n) => ({ name: `channel-${n}`, position: n + 2 }));
  await db.writer.channel.createMany({ data: channels.map((one) => ({ id: call.nextId(), guildId, ...one })) });
  const roles = Array.from({ length: size.roles - 1 }, (_, n) => ({ name: `role ${n}`, position: n + 1 }));
  await db.writer.role.createMany({ data: roles.map((one) => ({ id: call.nextId(), guildId, ...one })) });
  const said = await addMessages(db, channelId, application.id, size.messages);
  return {
    guildId: String(guildId),
    channelId: String(channelId),
    botToken,
    messages: size.messages,
    personId,
    usernames,
    ...said,
  };
}

/** These ids are unused, because their time is long past. */
let nextPersonId = 1_000_000n;

async function addPeople(db: Database, guildId: bigint, username: string, count: number): Promise<bigint> {
  const first = nextPersonId;
  nextPersonId += BigInt(count);
  await db.writer.$executeRaw`
    WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count - 1})
    INSERT INTO "User" ("id", "username", "handle") SELECT ${first} + n, ${username} || n, ${username} || n FROM counted`;
  const people = await db.reader.user.findMany({ where: { id: { gte: first, lt: nextPersonId } } });
  await putMembers(db, [guildId], people);
  return first;
}

async function addMessages(db: Database, channelId: bigint, authorId: bigint, count: number) {
  const now = Date.now();
  const firstMessageId = snowflakeAt(now - SAID_WITHIN_MS);
  const messageStep = (snowflakeAt(now) - firstMessageId) / BigInt(count);
  // Guilds with messages of the same time need different ids.
  const offset = channelId % 4_096n;
  await db.writer.$executeRaw`
    WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count - 1})
    INSERT INTO "Message" ("id", "channelId", "authorId", "content", "embeds", "components", "mentionUserIds", "mentionRoleIds")
    SELECT ${firstMessageId + offset} + n * ${messageStep}, ${channelId}, ${authorId},
      'Message ' || n || ': the tide is in, the causeway is shut, and the ferry leaves at noon.', '[]', '[]', '[]', '[]'
    FROM counted`;
  return { firstMessageId: firstMessageId + offset, messageStep };
}
