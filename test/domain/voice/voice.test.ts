import { beforeEach, describe, expect } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { kickMember, updateMember } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import {
  changeVoiceState,
  getVoiceState,
  joinVoice,
  leaveVoice,
  setOwnVoice,
} from '../../../src/domain/voice/index.js';
import { it } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { addMember, callOf, createChannel } from '../../harness/world.js';
import { openRoom, type Room } from '../messages/scene.js';

let server: TestServer;
let room: Room;
let voiceId: bigint;
const everything = () => ({ guildId: room.guild.id, userId: room.users.ada.id });

it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  await room.permit(Permission.ViewChannel | Permission.Connect);
  const { id } = await server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: room.guild.id, type: 2 } });
  voiceId = id;
});

/** Joins with a connection that stays open. */
async function join(call: CallContext, channelId = voiceId): Promise<unknown> {
  if (call.actor.kind !== 'person') throw new Error('only people are needed here');
  const id = server.app.connections.openForRequests(call.actor.user.id, async () => true);
  return joinVoice(call, { channelId }, id);
}

const told = () =>
  room.events.flatMap(({ type, data }) => {
    const { user_id, channel_id, mute, deaf, suppress } = JSON.parse(data);
    return type === 'VOICE_STATE_UPDATE' ? [{ user_id, channel_id, mute, deaf, suppress }] : [];
  });
const rows = () => server.app.db.reader.voiceState.findMany({ where: { guildId: room.guild.id } });
const ada = () => String(room.users.ada.id);
const plain = { mute: false, deaf: false, suppress: false };

describe('a voice state', () => {
  it('is unique per user and guild, and each change is published', async () => {
    const second = await createChannel(server.app, room.guild.id, 'Second', 2);
    await join(room.ada);
    await join(room.ada, second.id);
    await setOwnVoice(room.ada, { guildId: room.guild.id, selfMute: true });
    await setOwnVoice(room.ada, { guildId: room.guild.id, selfMute: true });
    expect(await rows()).toMatchObject([{ channelId: second.id, selfMute: true, selfDeaf: false }]);
    await leaveVoice(room.ada, room.guild.id);
    const at = (channel_id: bigint | null) => ({
      user_id: ada(),
      channel_id: channel_id && String(channel_id),
      ...plain,
    });
    expect(told()).toEqual([at(voiceId), at(second.id), at(second.id), at(null)]);
    expect(await outcome(leaveVoice(room.ada, room.guild.id))).toBe('UNKNOWN_VOICE_STATE');
    expect(await outcome(setOwnVoice(room.ada, { guildId: room.guild.id }))).toBe('UNKNOWN_VOICE_STATE');
  });

  it('cannot exist in a text channel, in a hidden one, or from outside', async () => {
    expect(await outcome(join(room.ada, room.channelId))).toBe('INVALID_INPUT');
    expect(await outcome(join(room.outsider))).toBe('UNKNOWN_CHANNEL');
    await room.permit(Permission.Connect);
    expect(await outcome(join(room.ada))).toBe('UNKNOWN_CHANNEL');
    await room.permit(Permission.ViewChannel);
    expect(await outcome(join(room.ada))).toBe('MISSING_PERMISSIONS');
  });

  it('cannot exist in a full channel: two of ten who join the last two places at once succeed', async () => {
    await server.app.db.writer.channel.update({ where: { id: voiceId }, data: { userLimit: 3 } });
    await join(room.ada);
    const people = await Promise.all(Array.from({ length: 10 }, () => createPerson(server.app)));
    for (const person of people) await addMember(server.app, room.guild.id, person);
    const outcomes = await Promise.all(people.map((person) => outcome(join(callOf(server.app, person)))));
    expect(outcomes.toSorted()).toEqual([...Array(8).fill('LIMIT_EXCEEDED'), 'ok', 'ok']);
    expect(await rows()).toHaveLength(3);
  });

  it.each([
    ['leaving', () => leaveGuild(room.ada, room.guild.id)],
    ['a kick', () => kickMember(room.owner, everything())],
  ])('ends with the membership, whichever comes first: %s during a join', async (_, end) => {
    await Promise.all([outcome(join(room.ada)), end()]);
    expect(await rows()).toEqual([]);
    const last = told().at(-1);
    if (last) expect(last.channel_id).toBeNull();
  });

  it('ends once: one of several ends at once is published', async () => {
    await join(room.ada);
    const { guildId, userId } = everything();
    await Promise.all([
      outcome(leaveVoice(room.ada, guildId)),
      outcome(leaveVoice(room.ada, guildId)),
      outcome(updateMember(room.owner, { guildId, userId, channelId: null })),
      leaveGuild(room.ada, guildId),
    ]);
    expect(told().filter(({ channel_id }) => channel_id === null)).toHaveLength(1);
  });

  it('of another user is visible to members who can connect to the channel', async () => {
    expect(await outcome(getVoiceState(room.bob, room.guild.id, room.users.ada.id))).toBe('UNKNOWN_VOICE_STATE');
    await join(room.ada);
    expect(await getVoiceState(room.bob, room.guild.id, room.users.ada.id)).toMatchObject({ channelId: voiceId });
    await room.permit(Permission.ViewChannel);
    expect(await outcome(getVoiceState(room.bob, room.guild.id, room.users.ada.id))).toBe('MISSING_PERMISSIONS');
    expect(await getVoiceState(room.ada, room.guild.id, room.users.ada.id)).toMatchObject({ channelId: voiceId });
  });
});

describe('a moderator', () => {
  it('can mute, deafen, move and disconnect with either call, in one update each', async () => {
    const second = await createChannel(server.app, room.guild.id, 'Second', 2);
    await join(room.ada);
    await updateMember(room.owner, { ...everything(), mute: true, channelId: second.id });
    await changeVoiceState(room.owner, { ...everything(), deaf: true, mute: false, channelId: voiceId });
    await changeVoiceState(room.owner, { ...everything(), suppress: true });
    await updateMember(room.owner, { ...everything(), channelId: null });
    const state = { user_id: ada(), channel_id: String(voiceId), ...plain };
    expect(told()).toEqual(
      [
        state,
        { ...state, channel_id: String(second.id), mute: true },
        { ...state, deaf: true },
        { ...state, deaf: true, suppress: true },
        { ...state, deaf: true, suppress: true, channel_id: null },
      ].map((one) => (one.channel_id === null ? { ...one, suppress: false } : one)),
    );
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { guildId: room.guild.id, action: { in: ['MEMBER_UPDATE', 'MEMBER_MOVE', 'MEMBER_DISCONNECT'] } },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      ...['MEMBER_UPDATE', 'MEMBER_MOVE', 'MEMBER_UPDATE', 'MEMBER_MOVE'],
      'MEMBER_DISCONNECT',
    ]);
  });

  it('cannot change a member who is not in voice', async () => {
    expect(await outcome(updateMember(room.owner, { ...everything(), mute: true, nick: 'x' }))).toBe('NOT_IN_VOICE');
    expect(await outcome(changeVoiceState(room.owner, { ...everything(), mute: true }))).toBe('UNKNOWN_VOICE_STATE');
    expect(await server.app.db.reader.member.findFirst({ where: everything() })).toMatchObject({
      mute: false,
      nick: null,
    });
  });

  it('can move members only to a voice channel of the guild', async () => {
    await join(room.ada);
    const elsewhere = await openRoom(server);
    for (const channelId of [room.channelId, elsewhere.channelId, 42n]) {
      expect(await outcome(updateMember(room.owner, { ...everything(), channelId }))).toBe('INVALID_INPUT');
    }
  });
});
