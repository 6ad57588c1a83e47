import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeMessagesOfBanned } from '../../src/domain/bans/messages.js';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  setChannelOverwrite,
  updateChannel,
} from '../../src/domain/channels/index.js';
import { accessChannel, deleteGuild } from '../../src/domain/guilds/index.js';
import { addMemberRole, kickMember, updateMember } from '../../src/domain/members/index.js';
import {
  addReaction,
  applyEdit,
  clearReactions,
  deleteMessage,
  deleteMessages,
  editMessage,
  type MessageRecord,
  pinMessage,
  removeMessage,
  removeReaction,
} from '../../src/domain/messages/index.js';
import { createRole, deleteRole, updateRole } from '../../src/domain/roles/index.js';
import { showMemberships } from '../../src/domain/users/shown.js';
import { changeVoiceState, joinVoice, leaveVoice, setOwnVoice } from '../../src/domain/voice/index.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { topics } from '../../src/infra/streams/topics.js';
import { answer } from '../harness/answers.js';
import { beforeAnswer, between, isAnybodyWaiting, noPostgres, untilDoneOrWaiting } from '../harness/interleave.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { until } from '../harness/until.js';
import { say } from '../harness/world.js';
import { openRoom, type Room, toEdit } from './messages/scene.js';

/**
 * Tests which event of two changes at once is published last. If clients get the object whole, the second change starts
 * right before the COMMIT of the first. If an object ends, the second change starts when the database has done the
 * first, and before the result arrives.
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

/** Clients cache the member of a voice event like the member itself. */
async function rolesLast(): Promise<void> {
  const member = room.events.findLastIndex(({ type }) => type === 'GUILD_MEMBER_UPDATE');
  const voice = room.events.findLastIndex(({ type }) => type === 'VOICE_STATE_UPDATE');
  expect(lastTold().member.roles).toEqual([String(roleId)]);
  if (voice > member) expect(lastTold().voice.member.roles).toEqual([String(roleId)]);
}

describe.skipIf(noPostgres)(needing(noPostgres, 'the last published state is the current one'), () => {
  test.each(Object.entries(PAIRS))('of %s', async (_what, { prepare, first, second, check }) => {
    await prepare?.();
    let other: Promise<unknown> = Promise.resolve();
    const concurrently = () => {
      other = second();
      return untilDoneOrWaiting(server.app, other);
    };
    await between(/^COMMIT/, concurrently, first);
    await other;
    await check();
  });
});

interface Sequence {
  prepare?: () => Promise<unknown>;
  /** The statement that does the first change; COMMIT by default. */
  doneBy?: RegExp;
  first: () => Promise<unknown>;
  second: () => Promise<unknown>;
  isDone: () => Promise<boolean>;
  told: readonly string[];
}

const message = () => ({ channelId: room.channelId, messageId });
const thumb = () => ({ ...message(), emoji: '👍' });
const isMessageGone = async () => (await server.app.db.reader.message.count({ where: { id: messageId } })) === 0;
const reactions = () => server.app.db.reader.reaction.count({ where: { messageId } });
const reacts = () => addReaction(room.owner, thumb());
const deletes = () => deleteMessage(room.owner, message());
const edits = () => editMessage(room.owner, { ...message(), body: toEdit({ content: 'other' }) });
const withReaction = async () => {
  await withMessage();
  await reacts();
};
const removesAll = () =>
  removeMessagesOfBanned(
    server.app.callOfNobody(),
    { guildId: room.guild.id, authorId: room.guild.owner.id, after: 0n, last: server.app.nextId() },
    new AbortController().signal,
  );
const UPDATE_OF_MESSAGE = /^UPDATE "public"."Message"/;
/** A message for ada only, which is published to her and to the bot. */
let whisper: MessageRecord;
const withWhisper = async () => {
  const bot = { id: room.users.bot.id, user: room.users.bot };
  const body = { content: 'psst', flags: MessageFlags.Ephemeral };
  whisper = await answer(server.app, bot, room.channelId, { body, visibleToId: room.users.ada.id });
  messageId = whisper.id;
  server.app.bus.subscribe(topics.user(room.users.ada.id), (message) => {
    if (message.type !== STREAM_GAP) room.events.push(message);
  });
};
const placeOfBot = () => accessChannel(room.bot, room.channelId, 'viewChannel');
const INSERT_OF_MESSAGE = /INSERT INTO "Message"/;
const removesChannel = () => deleteChannel(room.owner, room.channelId);
const isChannelGone = async () => (await server.app.db.reader.channel.count({ where: { id: room.channelId } })) === 0;

const SEQUENCES: Record<string, Sequence> = {
  "a new channel, and its server's end": {
    first: () => createChannel(room.owner, room.guild.id, { name: 'new' }),
    second: () => deleteGuild(room.owner, room.guild.id),
    isDone: async () => {
      const { deletedAt } = await server.app.db.reader.guild.findUniqueOrThrow({ where: { id: room.guild.id } });
      return deletedAt !== null;
    },
    told: ['CHANNEL_CREATE', 'GUILD_DELETE'],
  },
  'another name of a role, and its end': {
    first: () => updateRole(room.owner, { guildId: room.guild.id, roleId, name: 'other' }),
    second: () => deleteRole(room.owner, { guildId: room.guild.id, roleId }),
    isDone: async () => (await server.app.db.reader.role.count({ where: { id: roleId } })) === 0,
    told: ['GUILD_ROLE_UPDATE', 'GUILD_ROLE_DELETE'],
  },
  'another name of a member, and a kick': {
    first: () => updateMember(room.owner, { ...ada(), nick: 'other' }),
    second: () => kickMember(room.owner, ada()),
    isDone: async () => (await server.app.db.reader.member.count({ where: ada() })) === 0,
    told: ['GUILD_MEMBER_UPDATE', 'GUILD_MEMBER_REMOVE'],
  },
  'a reaction, and taking it back': {
    prepare: withMessage,
    first: reacts,
    second: () => removeReaction(room.owner, thumb()),
    isDone: async () => (await reactions()) === 0,
    told: ['MESSAGE_REACTION_ADD', 'MESSAGE_REACTION_REMOVE'],
  },
  'a reaction taken back, and given again': {
    prepare: withReaction,
    first: () => removeReaction(room.owner, thumb()),
    second: reacts,
    isDone: async () => (await reactions()) === 1,
    told: ['MESSAGE_REACTION_REMOVE', 'MESSAGE_REACTION_ADD'],
  },
  'all reactions cleared, and one given again': {
    prepare: withReaction,
    first: () => clearReactions(room.owner, message()),
    second: reacts,
    isDone: async () => (await reactions()) === 1,
    told: ['MESSAGE_REACTION_REMOVE_ALL', 'MESSAGE_REACTION_ADD'],
  },
  "a reaction, and its message's end": {
    prepare: withMessage,
    first: reacts,
    second: deletes,
    isDone: isMessageGone,
    told: ['MESSAGE_REACTION_ADD', 'MESSAGE_DELETE'],
  },
  "a pin, and its message's end": {
    prepare: withMessage,
    first: pins,
    second: deletes,
    isDone: isMessageGone,
    told: ['MESSAGE_UPDATE', 'MESSAGE_DELETE'],
  },
  "an edit, and its message's end": {
    prepare: withMessage,
    doneBy: UPDATE_OF_MESSAGE,
    first: edits,
    second: deletes,
    isDone: isMessageGone,
    told: ['MESSAGE_UPDATE', 'MESSAGE_DELETE'],
  },
  'an edit, and the end of several messages': {
    prepare: withMessage,
    doneBy: UPDATE_OF_MESSAGE,
    first: edits,
    second: async () => {
      const { id } = await say(server.app, room.guild, room.guild.owner, 'another');
      await deleteMessages(room.owner, { channelId: room.channelId, messageIds: [messageId, id] });
    },
    isDone: isMessageGone,
    told: ['MESSAGE_UPDATE', 'MESSAGE_DELETE_BULK'],
  },
  'an edit, and the end of all that a banned member wrote': {
    prepare: withMessage,
    doneBy: UPDATE_OF_MESSAGE,
    first: edits,
    second: removesAll,
    isDone: isMessageGone,
    told: ['MESSAGE_UPDATE', 'MESSAGE_DELETE_BULK'],
  },
  'an edit of a message for one person, and its end': {
    prepare: withWhisper,
    doneBy: UPDATE_OF_MESSAGE,
    first: async () =>
      applyEdit(room.bot, whisper, {
        place: await placeOfBot(),
        body: toEdit({ content: 'other' }),
        files: [],
        asAuthor: true,
      }),
    second: async () => removeMessage(room.bot, await placeOfBot(), whisper),
    isDone: isMessageGone,
    told: ['MESSAGE_UPDATE', 'MESSAGE_DELETE'],
  },
  "a new message, and its channel's end": {
    doneBy: INSERT_OF_MESSAGE,
    first: withMessage,
    second: removesChannel,
    isDone: isChannelGone,
    told: ['MESSAGE_CREATE', 'CHANNEL_DELETE'],
  },
  "an edit, and its channel's end": {
    prepare: withMessage,
    doneBy: UPDATE_OF_MESSAGE,
    first: edits,
    second: removesChannel,
    isDone: isChannelGone,
    told: ['MESSAGE_UPDATE', 'CHANNEL_DELETE'],
  },
  'a new message, and the end of all that a banned member wrote': {
    doneBy: INSERT_OF_MESSAGE,
    first: withMessage,
    second: removesAll,
    isDone: async () => (await server.app.db.reader.message.count({ where: { channelId: room.channelId } })) === 0,
    told: ['MESSAGE_CREATE', 'MESSAGE_DELETE_BULK'],
  },
};

/** Number of polls after which the second change is assumed to wait within this process. */
const LOOKS = 40;

describe.skipIf(noPostgres)(needing(noPostgres, 'the last change is published last'), () => {
  test.each(Object.entries(SEQUENCES))('of %s', async (_what, sequence) => {
    await sequence.prepare?.();
    room.events.length = 0;
    let other: Promise<unknown> = Promise.resolve();
    const concurrently = async () => {
      other = sequence.second();
      let looks = 0;
      const isSeen = async () => {
        looks += 1;
        // A change that waits for the other one's clock goes on only after it. The database ends a long wait.
        return looks > LOOKS || (await isAnybodyWaiting(server.app)) || sequence.isDone();
      };
      await Promise.race([other, until(isSeen)]);
      // Waits as long as a pending response takes.
      await sequence.isDone();
    };
    await beforeAnswer(sequence.doneBy ?? /^COMMIT/, concurrently, sequence.first);
    await other;
    expect(room.events.map(({ type }) => type).filter((type) => sequence.told.includes(type))).toEqual(sequence.told);
  });
});
