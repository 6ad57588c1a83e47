import { readConfig } from '../../src/config.js';
import { callContext } from '../../src/context.js';
import { createApplication } from '../../src/domain/applications/index.js';
import type { CallContext } from '../../src/domain/call.js';
import { createGuild } from '../../src/domain/guilds/index.js';
import { createTeam } from '../../src/domain/teams/index.js';
import type { Database } from '../../src/infra/database/index.js';
import { createServer } from '../../src/server.js';
import { throwAwayFolder } from '../scratch.js';
import { addPeople, fillChannels, putMembers, signUp } from '../world.js';

/** A stopped data folder of a busy instance, filled up to the limits. */
export interface Crowd {
  dataDir: string;
  /** The portal session of the owner of all objects. */
  personToken: string;
  /** A server of 500 channels with 100 messages each. */
  wideGuildId: string;
  /** A server of 20,000 members. */
  largeGuildId: string;
  teamId: string;
  /** `Bot` token of a member of both servers. */
  botToken: string;
  /** `Bot` token of a member of 5,000 small servers. */
  busyBotToken: string;
}

const CHANNELS = 500;
const MESSAGES_PER_CHANNEL = 100;
const PEOPLE = 20_000;
const SMALL_GUILDS = 5_000;
const TEAM_APPLICATIONS = 25;

/** Makes the data with a server that stops afterwards. Most rows are inserted directly. */
export async function createCrowd(): Promise<Crowd> {
  const dataDir = await throwAwayFolder();
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' }),
  );
  const origin = await server.start();
  try {
    const { db } = server.app;
    const { token, userId } = await signUp(origin);
    const user = await db.reader.user.findUniqueOrThrow({ where: { id: BigInt(userId) } });
    const call = callContext(server.app, { kind: 'person', user });
    const bot = await createApplication(call, { name: 'Bot' });
    const busyBot = await createApplication(call, { name: 'Busy bot' });
    const wideGuildId = (await createGuild(call, { name: 'Wide' })).id;
    const largeGuildId = (await createGuild(call, { name: 'Large' })).id;
    await addChannels(call, db, wideGuildId, user.id);
    await addPeople(call, db, largeGuildId, PEOPLE);
    await addMember(db, [wideGuildId, largeGuildId], bot.application.id);
    await addMember(db, await addSmallGuilds(call, db, user.id), busyBot.application.id);
    const teamId = await addTeam(call, db);
    return {
      dataDir,
      personToken: token,
      wideGuildId: String(wideGuildId),
      largeGuildId: String(largeGuildId),
      teamId: String(teamId),
      botToken: bot.botToken,
      busyBotToken: busyBot.botToken,
    };
  } finally {
    await server.stop();
  }
}

async function addChannels(call: CallContext, db: Database, guildId: bigint, authorId: bigint): Promise<void> {
  const channels = Array.from({ length: CHANNELS - 2 }, (_, index) => ({
    id: call.nextId(),
    guildId,
    name: `channel-${index}`,
    position: index + 1,
  }));
  await db.writer.channel.createMany({ data: channels });
  const ids = channels.map(({ id }) => id);
  await fillChannels(call, db, ids, authorId, MESSAGES_PER_CHANNEL);
}

async function addSmallGuilds(call: CallContext, db: Database, ownerId: bigint): Promise<bigint[]> {
  const ids = Array.from({ length: SMALL_GUILDS }, () => call.nextId());
  await db.writer.guild.createMany({ data: ids.map((id, index) => ({ id, name: `Small ${index}`, ownerId })) });
  await db.writer.role.createMany({ data: ids.map((id) => ({ id, guildId: id, name: '@everyone' })) });
  await db.writer.channel.createMany({
    data: ids.map((guildId) => ({ id: call.nextId(), guildId, name: 'general' })),
  });
  return ids;
}

async function addMember(db: Database, guildIds: bigint[], userId: bigint): Promise<void> {
  await putMembers(db, guildIds, [await db.reader.user.findUniqueOrThrow({ where: { id: userId } })]);
}

async function addTeam(call: CallContext, db: Database): Promise<bigint> {
  const { id } = await createTeam(call, { name: 'Otters' });
  for (let index = 0; index < TEAM_APPLICATIONS; index += 1) {
    const { application } = await createApplication(call, { name: `Application ${index}` });
    await db.writer.application.update({
      where: { id: application.id },
      data: { ownerTeamId: id, ownerUserId: null },
    });
  }
  return id;
}
