import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteChannelOverwrite, setChannelOverwrite, updateChannel } from '../../src/domain/channels/index.js';
import { addMemberRole } from '../../src/domain/members/index.js';
import { pinMessage } from '../../src/domain/messages/index.js';
import { createRole, deleteRole } from '../../src/domain/roles/index.js';
import { showMemberships } from '../../src/domain/users/shown.js';
import { changeVoiceState, joinVoice, leaveVoice, setOwnVoice } from '../../src/domain/voice/index.js';
import { between, isAnybodyWaiting, noPostgres } from '../harness/interleave.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { until } from '../harness/until.js';
import { say } from '../harness/world.js';
import { openRoom, type Room } from './messages/scene.js';

/**
 * Two changes at once of what clients are told whole (decisions 211): the second one comes when all of the first is written but its COMMIT,
 * and either waits for that or is told first.
 */

let server: TestServer;
let room: Room;
let voiceId: bigint;
let roleId: bigint;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  room = await openRoom(server);
  const { id } = await server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: room.guild.id, type: 2 } });
  voiceId = id;
  ({ id: roleId } = await createRole(room.owner, room.guild.id, { permissions: 0n }));
});

const ada = () => ({ guildId: room.guild.id, userId: room.users.ada.id });

/** What is told of ada in voice, of ada as a member, and of the channel, the last of each. */
function lastTold() {
  const of = (type: string, isMeant: (data: Record<string, unknown>) => boolean) =>
    room.events
      .filter((event) => event.type === type)
      .map(({ data }) => JSON.parse(data))
      .findLast(isMeant);
  const id = String(room.users.ada.id);
  return {
    voice: of('VOICE_STATE_UPDATE', ({ user_id }) => user_id === id),
    member: of('GUILD_MEMBER_UPDATE', ({ user }) => (user as { id: string }).id === id),
    channel: of('CHANNEL_UPDATE', (channel) => channel.id === String(room.channelId)),
  };
}

async function join(): Promise<unknown> {
  const sessionId = server.app.connections.openForRequests(room.users.ada.id, async () => true);
  return joinVoice(room.ada, { channelId: voiceId }, sessionId);
}

const givesRole = () => addMemberRole(room.owner, { ...ada(), roleId });
const isInVoice = () => server.app.db.reader.voiceState.count({ where: ada() });
const overwrite = () => ({ targetId: roleId, targetType: 0 as const, allow: 1024n, deny: 0n });

interface Pair {
  prepare?: () => Promise<unknown>;
  first: () => Promise<unknown>;
  second: () => Promise<unknown>;
  /** What was told last is what is so. */
  check: () => Promise<void>;
}

const pinTold = async () => {
  const { lastPinAt } = await server.app.db.reader.channel.findUniqueOrThrow({ where: { id: room.channelId } });
  expect(lastPinAt).not.toBeNull();
  const pins = room.events.findLastIndex(({ type }) => type === 'CHANNEL_PINS_UPDATE');
  const whole = room.events.findLastIndex(({ type }) => type === 'CHANNEL_UPDATE');
  if (whole < pins) return;
  expect(new Date(lastTold().channel.last_pin_timestamp)).toEqual(lastPinAt);
};
let messageId: bigint;
const withMessage = async () => {
  messageId = (await say(server.app, room.guild, room.guild.owner, 'hello')).id;
};
const pins = () => pinMessage(room.owner, { channelId: room.channelId, messageId });

const PAIRS: Record<string, Pair> = {
  'a change of who is in voice, and leaving': {
    prepare: join,
    first: () => changeVoiceState(room.owner, { ...ada(), deaf: true }),
    second: () => leaveVoice(room.ada, room.guild.id),
    check: async () => expect([await isInVoice(), lastTold().voice.channel_id]).toEqual([0, null]),
  },
  'joining, and getting a role': { first: join, second: givesRole, check: rolesLast },
  'muting oneself, and getting a role': {
    prepare: join,
    first: () => setOwnVoice(room.ada, { guildId: room.guild.id, selfMute: true }),
    second: givesRole,
    check: rolesLast,
  },
  'leaving, and getting a role': {
    prepare: join,
    first: () => leaveVoice(room.ada, room.guild.id),
    second: givesRole,
    check: rolesLast,
  },
  'showing somebody anew, and getting a role': {
    first: () => showMemberships(room.owner, room.users.ada.id, new AbortController().signal),
    second: givesRole,
    check: async () => expect(lastTold().member.roles).toEqual([String(roleId)]),
  },
  'a new overwrite, and a pin': {
    prepare: withMessage,
    first: () => setChannelOverwrite(room.owner, room.channelId, overwrite()),
    second: pins,
    check: pinTold,
  },
  'an overwrite less, and a pin': {
    prepare: async () => {
      await withMessage();
      await setChannelOverwrite(room.owner, room.channelId, overwrite());
    },
    first: () => deleteChannelOverwrite(room.owner, room.channelId, roleId),
    second: pins,
    check: pinTold,
  },
  'other overwrites, and a pin': {
    prepare: withMessage,
    first: () => updateChannel(room.owner, room.channelId, { overwrites: [overwrite()] }),
    second: pins,
    check: pinTold,
  },
  'the end of a role that a channel names, and a pin': {
    prepare: async () => {
      await withMessage();
      await setChannelOverwrite(room.owner, room.channelId, overwrite());
    },
    first: () => deleteRole(room.owner, { guildId: room.guild.id, roleId }),
    second: pins,
    check: pinTold,
  },
};

/** What is told with voice of a member is taken into caches as what is told of the member itself. */
async function rolesLast(): Promise<void> {
  const member = room.events.findLastIndex(({ type }) => type === 'GUILD_MEMBER_UPDATE');
  const voice = room.events.findLastIndex(({ type }) => type === 'VOICE_STATE_UPDATE');
  expect(lastTold().member.roles).toEqual([String(roleId)]);
  if (voice > member) expect(lastTold().voice.member.roles).toEqual([String(roleId)]);
}

describe.skipIf(noPostgres)(needing(noPostgres, 'what is told last is so'), () => {
  test.each(Object.entries(PAIRS))('of %s', async (_what, { prepare, first, second, check }) => {
    await prepare?.();
    let other: Promise<unknown> = Promise.resolve();
    const meanwhile = () => {
      other = second();
      return Promise.race([other, until(() => isAnybodyWaiting(server.app))]);
    };
    await between(/^COMMIT/, meanwhile, first);
    await other;
    await check();
  });
});
