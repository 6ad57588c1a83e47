import { readConfig } from '../../src/config.js';
import { permissionsInChannel } from '../../src/domain/guilds/index.js';
import { createServer, type Server } from '../../src/server.js';
import { createFilledGuilds } from '../large-world.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS } from '../rounds.js';

const DECISIONS_PER_ROUND = 100_000;
const ROLES_OF_MEMBER = 20;
const OVERWRITES = 10;

/**
 * The permissions of a member with 20 roles in a channel with 10 overwrites, in a cached server with 500 channels and
 * 250 roles. The baseline is the arithmetic alone, over minimal arrays. Both run in one process, without a request.
 */
export async function decidePermissions(): Promise<Row[]> {
  const size = { members: 200, channels: 500, roles: 250, messages: 10 };
  const { dataDir, guilds } = await createFilledGuilds({ measured: size });
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' }),
  );
  await server.start();
  try {
    const guildId = BigInt(guilds.measured.guildId);
    const channelId = BigInt(guilds.measured.channelId);
    const userId = guilds.measured.personId;
    const facts = await putRights(server, { guildId, channelId, userId });
    const { app } = server;
    const decide = () => permissionsInChannel(app.guilds, guildId, channelId, userId, app.clock.now());
    const bare = async () => bareDecision(facts);
    if ((await decide()) !== (await bare())) throw new Error('the two implementations decide differently');
    const comparisons = await compare(contestant(decide), contestant(bare), ROUNDS);
    return comparisons.map((comparison) => rowOf('one permission decision', 'decisions/s', '', comparison));
  } finally {
    await server.stop();
  }
}

interface Rights {
  /** Of `@everyone` and the member's roles. */
  roles: bigint[];
  /** Overwrites of `@everyone`, of the member's roles and of the member, each as deny and allow. */
  everyone: [bigint, bigint];
  ofRoles: [bigint, bigint][];
}

/** Gives roles to the member, and overwrites for half of them to the channel. */
async function putRights(
  { app }: Server,
  { guildId, channelId, userId }: { guildId: bigint; channelId: bigint; userId: bigint },
): Promise<Rights> {
  const { writer, reader } = app.db;
  const viewAndSend = 0xc00n;
  await writer.role.updateMany({ where: { guildId }, data: { permissions: viewAndSend } });
  const roles = await reader.role.findMany({ where: { guildId, id: { not: guildId } }, take: ROLES_OF_MEMBER });
  await writer.memberRole.createMany({ data: roles.map(({ id: roleId }) => ({ guildId, userId, roleId })) });
  const targets = [guildId, ...roles.slice(1, OVERWRITES).map(({ id }) => id)];
  const overwrites = targets.map((targetId, index) => ({ targetId, deny: index === 0 ? 0x800n : 0n, allow: 0x40n }));
  await writer.channelOverwrite.createMany({ data: overwrites.map((one) => ({ channelId, targetType: 0, ...one })) });
  const [everyone = { deny: 0n, allow: 0n }, ...ofRoles] = overwrites;
  return {
    roles: Array.from({ length: ROLES_OF_MEMBER + 1 }, () => viewAndSend),
    everyone: [everyone.deny, everyone.allow],
    ofRoles: ofRoles.map(({ deny, allow }) => [deny, allow]),
  };
}

const ADMINISTRATOR = 8n;
const VIEW_CHANNEL = 0x400n;

function bareDecision({ roles, everyone, ofRoles }: Rights): bigint {
  let bits = 0n;
  for (const role of roles) bits |= role;
  if (bits & ADMINISTRATOR) return -1n;
  bits = (bits & ~everyone[0]) | everyone[1];
  let [denied, allowed] = [0n, 0n];
  for (const [deny, allow] of ofRoles) {
    denied |= deny;
    allowed |= allow;
  }
  bits = (bits & ~denied) | allowed;
  return bits & VIEW_CHANNEL ? bits : 0n;
}

function contestant(decide: () => Promise<unknown>): Contestant {
  return {
    server: { cpuSeconds: async () => process.cpuUsage().user / 1_000_000 },
    async round() {
      const start = performance.now();
      for (let count = 0; count < DECISIONS_PER_ROUND; count += 1) await decide();
      const rate = (DECISIONS_PER_ROUND * 1_000) / (performance.now() - start);
      return { operations: DECISIONS_PER_ROUND, rates: [rate] };
    },
  };
}
