import { afterEach, beforeEach, describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { askGraphql, codeOf } from '../harness/graphql.js';
import { eventually } from '../harness/jobs.js';
import { listenTo, type OpenSocket, openSocket, type Told } from '../harness/live.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { refuseStatements } from '../harness/statements.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let told: Told;
const sockets: OpenSocket[] = [];
let people = 0;

it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  people += 1;
  [ada, bob] = await Promise.all([signUp(server, `ada${people}`), signUp(server, `bob${people}`)]);
  guild = await createGuild(ada);
  await invite(ada, guild, bob);
  told = listenTo(server, guild.id);
});
afterEach(() => Promise.all(sockets.splice(0).map((socket) => socket.close())));

async function open(person: Person): Promise<OpenSocket> {
  const socket = await openSocket(server, person);
  sockets.push(socket);
  return socket;
}

const statusOf = async (person: Person) => (await told.next(person.id, 'PRESENCE_UPDATE')).status;
const SET = 'mutation ($i: SetPresenceInput!) { setPresence(input: $i) { presence } }';
const INVITE = 'mutation ($i: ChannelIdInput!) { createInvite(input: $i) { code } }';
const JOIN = 'mutation ($i: ChannelIdInput!) { joinVoice(input: $i) { voiceState } }';
const LEAVE = 'mutation ($i: GuildIdInput!) { leaveVoice(input: $i) { voiceState } }';
const SELF = 'mutation ($i: SetVoiceStateInput!) { setVoiceState(input: $i) { voiceState } }';
const channelOf = async (person: Person) => (await told.next(person.id, 'VOICE_STATE_UPDATE')).channel_id;

describe('the presence of a user', () => {
  it('lasts until the last of their sockets closes', async () => {
    const first = await open(bob);
    expect(await statusOf(bob)).toBe('online');
    const second = await open(bob);
    await first.close();
    await second.close();
    expect(await statusOf(bob)).toBe('offline');
  });

  it('can be set while another of their sockets cannot be stored', async () => {
    const first = await open(bob);
    const refusals = refuseStatements(/^INSERT INTO \S*Presence/);
    try {
      await open(bob);
      await eventually(() => expect(refusals.refused).not.toEqual([]));
      const { data } = await first.ask(SET, { i: { status: 'DND' } });
      expect(data.setPresence.presence.status).toBe('dnd');
    } finally {
      refusals.end();
    }
  });

  it('is the same for all of their sockets, also for later ones, and shows invisible as offline', async () => {
    const first = await open(bob);
    const second = await open(bob);
    const { data } = await first.ask(SET, { i: { status: 'DND' } });
    expect(data.setPresence.presence).toEqual({
      user: { id: bob.id },
      status: 'dnd',
      activities: [],
      client_status: { web: 'dnd' },
    });
    await first.close();
    const third = await open(bob);
    await second.close();
    const { setPresence } = await bob.graphql(SET, { i: { status: 'INVISIBLE' } });
    expect(setPresence.presence.status).toBe('offline');
    await third.close();
    expect([await statusOf(bob), await statusOf(bob), await statusOf(bob)]).toEqual(['online', 'dnd', 'offline']);
    expect(told.rest().filter(({ type }) => type === 'PRESENCE_UPDATE')).toEqual([]);
  });

  it('counts in the preview of an invite', async () => {
    await open(bob);
    const { createInvite: made } = await ada.graphql(INVITE, { i: { channelId: guild.textChannelId } });
    const { invite: shown } = await ada.graphql(`{ invite(code: "${made.code}") { memberCount presenceCount } }`);
    expect(shown).toEqual({ memberCount: 2, presenceCount: 1 });
  });

  it('cannot be set without a socket', async () => {
    const headers = { authorization: `Bearer ${bob.token}` };
    expect(codeOf(await askGraphql(server, SET, { i: { status: 'IDLE' } }, headers))).toBe('CONFLICT');
  });

  it('ends when the user signs out, even if the socket stays open', async () => {
    const socket = await open(bob);
    expect(await statusOf(bob)).toBe('online');
    await socket.ask(JOIN, { i: { channelId: guild.voiceChannelId } });
    expect(await channelOf(bob)).toBe(guild.voiceChannelId);
    await signOut(bob);
    expect(await channelOf(bob)).toBeNull();
    expect(await statusOf(bob)).toBe('offline');
  });
});

async function signOut(person: Person): Promise<void> {
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.origin}/auth/sign-out`, { method: 'POST', headers, body: '{}' });
  expect(answer.status).toBe(200);
}

describe('the voice state of a user', () => {
  const join = (person: Person) => person.graphql(JOIN, { i: { channelId: guild.voiceChannelId } });

  it('ends with the socket that set it', async () => {
    const socket = await open(bob);
    const { data } = await socket.ask(JOIN, { i: { channelId: guild.voiceChannelId } });
    expect(data.joinVoice.voiceState).toMatchObject({ channel_id: guild.voiceChannelId, user_id: bob.id });
    expect(await channelOf(bob)).toBe(guild.voiceChannelId);
    await socket.close();
    expect(await channelOf(bob)).toBeNull();
  });

  it('lasts until they leave or sign out if a request set it', async () => {
    await join(bob);
    const { setVoiceState } = await bob.graphql(SELF, { i: { guildId: guild.id, selfMute: true } });
    expect(setVoiceState.voiceState).toMatchObject({ self_mute: true, self_deaf: false });
    const { leaveVoice } = await bob.graphql(LEAVE, { i: { guildId: guild.id } });
    expect(leaveVoice.voiceState).toMatchObject({ channel_id: null, guild_id: guild.id });
    await join(bob);
    const channels = [await channelOf(bob), await channelOf(bob), await channelOf(bob), await channelOf(bob)];
    expect(channels).toEqual([guild.voiceChannelId, guild.voiceChannelId, null, guild.voiceChannelId]);
    await signOut(bob);
    expect(await channelOf(bob)).toBeNull();
  });

  it('belongs to one connection if requests set it, whatever happens to their sockets', async () => {
    const sessionOf = async () => (await join(bob)).joinVoice.voiceState.session_id;
    const session = await sessionOf();
    await (await open(bob)).close();
    await statusOf(bob);
    expect(await statusOf(bob)).toBe('offline');
    expect(await sessionOf()).toBe(session);
  });

  it('is muted, moved and ended by members with the permission', async () => {
    const UPDATE = 'mutation ($i: UpdateMemberInput!) { updateMember(input: $i) { member { mute deaf } } }';
    const CREATE = 'mutation ($i: CreateChannelInput!) { createChannel(input: $i) { channel { id } } }';
    const update = (change: object, by = ada) =>
      by.ask(UPDATE, { i: { guildId: guild.id, userId: bob.id, ...change } });
    expect(codeOf(await update({ mute: true }))).toBe('BAD_USER_INPUT');
    await join(bob);
    expect(codeOf(await update({ mute: true }, bob))).toBe('FORBIDDEN');
    expect((await update({ mute: true, deaf: true })).data.updateMember.member).toEqual({ mute: true, deaf: true });
    const other = await ada.graphql(CREATE, { i: { guildId: guild.id, name: 'other', type: 2 } });
    const voiceChannelId = other.createChannel.channel.id;
    await update({ voiceChannelId });
    const fault = (await update({ voiceChannelId: guild.textChannelId })).errors[0]?.extensions.fields;
    expect(Object.keys(fault ?? {})).toEqual(['voiceChannelId']);
    await update({ voiceChannelId: null });
    const channels = [await channelOf(bob), await channelOf(bob), await channelOf(bob), await channelOf(bob)];
    expect(channels).toEqual([guild.voiceChannelId, guild.voiceChannelId, voiceChannelId, null]);
  });

  it('is shown to members who see the channel', async () => {
    await join(bob);
    const query = 'query ($id: ID!) { guild(id: $id) { voiceStates { user { id } channelId selfMute } } }';
    const { guild: shown } = await ada.graphql(query, { id: guild.id });
    expect(shown.voiceStates).toEqual([{ user: { id: bob.id }, channelId: guild.voiceChannelId, selfMute: false }]);
  });
});

it('a connection that ends stores when its user was last here', async () => {
  const where = { userId: BigInt(bob.id) };
  const { reader, writer } = server.app.db;
  const socket = await open(bob);
  expect(await statusOf(bob)).toBe('online');
  await writer.authUser.update({ where, data: { seenAt: new Date(0) } });
  const before = server.app.clock.now();
  await socket.close();
  expect(await statusOf(bob)).toBe('offline');
  const { seenAt } = await reader.authUser.findUniqueOrThrow({ where });
  expect(seenAt?.getTime()).toBeGreaterThanOrEqual(before);
});

describe('a temporary member', () => {
  const key = () => ({ guildId: BigInt(guild.id), userId: BigInt(bob.id) });
  const isMember = async () => (await server.app.db.reader.member.count({ where: key() })) > 0;
  const asVisit = () => server.app.db.writer.member.updateMany({ where: key(), data: { temporary: true } });

  it('leaves with their last connection', async () => {
    await asVisit();
    const [first, second] = [await open(bob), await open(bob)];
    await first.close();
    expect(await isMember()).toBe(true);
    await second.close();
    expect((await told.next(bob.id, 'GUILD_MEMBER_REMOVE')).user.id).toBe(bob.id);
    expect(await isMember()).toBe(false);
  });

  it('stays if they have a role', async () => {
    await asVisit();
    const role = { id: server.app.nextId(), guildId: key().guildId, name: 'stays' };
    await server.app.db.writer.role.create({ data: role });
    await server.app.db.writer.memberRole.create({ data: { ...key(), roleId: role.id } });
    const socket = await open(bob);
    expect(await statusOf(bob)).toBe('online');
    await socket.close();
    expect(await statusOf(bob)).toBe('offline');
    expect(await isMember()).toBe(true);
  });

  it('is removed at most once, with one event, when another connection begins as the last one ends', async () => {
    for (let round = 0; round < 5; round += 1) {
      await asVisit();
      const { connections } = server.app;
      const one = { id: `one ${round}`, userId: BigInt(bob.id), session: null };
      const other = { ...one, id: `other ${round}` };
      const there = { status: null, activities: [], since: null, afk: false };
      await connections.open(one, there);
      await Promise.all([connections.close(one.id), connections.open(other, there)]);
      const removals = told.rest().filter(({ type }) => type === 'GUILD_MEMBER_REMOVE');
      expect(removals).toHaveLength((await isMember()) ? 0 : 1);
      await connections.close(other.id);
      if (await isMember()) throw new Error('the visit did not end with the last connection');
      await invite(ada, guild, bob);
      told = listenTo(server, guild.id);
    }
  });
});
