import { describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import { accessChannel, accessGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { it } from '../../harness/fixtures.js';
import { createApplication, createGuild, install, invite, type Person, signUp } from '../../harness/people.js';
import { denyInChannel } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';

let server: TestServer;
let owner: Person;
let member: Person;
let stranger: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, member, stranger] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'member'),
    signUp(server, 'stranger'),
  ]);
});

const GUILD = `query ($id: ID!) { guild(id: $id) {
  name description tier owner { id } channels { name type } roles { id name permissions position }
  members { edges { node { user { id } } } }
} }`;
const INVITE = `mutation ($id: ID!) { createInvite(input: { channelId: $id }) { code url } }`;
const JOIN = `mutation ($code: String!) { joinGuild(input: { code: $code }) { guild { id } } }`;
const LEAVE = `mutation ($id: ID!) { leaveGuild(input: { guildId: $id }) { id } }`;
const CREATE_CHANNEL = `mutation ($input: CreateChannelInput!) {
  createChannel(input: $input) { channel { id name type guild { id } } }
}`;

/** A call of an application's bot, which cannot use GraphQL. */
async function botCall(botToken: string) {
  const bot = await server.app.botTokens.authenticate(botToken);
  if (!bot) throw new Error('the bot token is not valid');
  return callContext(server.app, bot.actor);
}

describe('a new guild', () => {
  it('has `@everyone` with its own id, a text and a voice channel, and its creator as member', async () => {
    const { id } = await createGuild(owner, 'Home');
    const { guild } = await owner.graphql(GUILD, { id });
    expect(guild).toEqual({
      name: 'Home',
      description: null,
      tier: 'CLOUD',
      owner: { id: owner.id },
      channels: [
        { name: 'general', type: 0 },
        { name: 'General', type: 2 },
      ],
      roles: [{ id, name: '@everyone', permissions: expect.stringMatching(/^\d+$/), position: 0 }],
      members: { edges: [{ node: { user: { id: owner.id } } }] },
    });
  });

  it('has its text channel as the system channel', async () => {
    const made = await createGuild(owner, 'Home');
    const { guild } = await owner.graphql(
      'query ($id: ID!) { guild(id: $id) { systemChannelId systemChannelFlags } }',
      { id: made.id },
    );
    expect(guild).toEqual({ systemChannelId: made.textChannelId, systemChannelFlags: 0 });
    const application = await createApplication(owner);
    await install(owner, application, made);
    const response = await fetch(`${server.origin}/api/v10/guilds/${made.id}`, {
      headers: { authorization: `Bot ${application.botToken}` },
    });
    expect(await response.json()).toMatchObject({ system_channel_id: made.textChannelId, system_channel_flags: 0 });
  });

  it('is visible to its members only, and unknown to other users', async () => {
    const guild = await createGuild(owner);
    const hidden = await stranger.ask(GUILD, { id: guild.id });
    expect(hidden.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(hidden).toEqual(await stranger.ask(GUILD, { id: '1' }));
    const channel = `query ($id: ID!) { channel(id: $id) { name } }`;
    const hiddenChannel = await stranger.ask(channel, { id: guild.textChannelId });
    expect(hiddenChannel.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(hiddenChannel).toEqual(await stranger.ask(channel, { id: '1' }));
    expect((await stranger.graphql(`{ guilds { id } }`)).guilds).toEqual([]);
  });
});

describe('an invite', () => {
  it('creates a membership and counts the use', async () => {
    const guild = await createGuild(owner);
    const { createInvite } = await owner.graphql(INVITE, { id: guild.textChannelId });
    expect(createInvite.code).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(createInvite.url).toBe(`${server.origin}/invite/${createInvite.code}`);
    const { joinGuild } = await member.graphql(JOIN, { code: createInvite.code });
    expect(joinGuild.guild.id).toBe(guild.id);
    expect((await member.graphql(`{ guilds { id } }`)).guilds).toContainEqual({ id: guild.id });
    const row = await server.app.db.reader.invite.findUniqueOrThrow({ where: { code: createInvite.code } });
    expect(row.uses).toBe(1);
  });

  it('creates one member for a user who follows it ten times at once', async () => {
    const guild = await createGuild(owner);
    const { createInvite } = await owner.graphql(INVITE, { id: guild.textChannelId });
    const joins = await Promise.all(Array.from({ length: 10 }, () => member.ask(JOIN, { code: createInvite.code })));
    expect(joins.flatMap((answer) => answer.errors)).toEqual([]);
    const where = { guildId: BigInt(guild.id), userId: BigInt(member.id) };
    expect(await server.app.db.reader.member.count({ where })).toBe(1);
    const row = await server.app.db.reader.invite.findUniqueOrThrow({ where: { code: createInvite.code } });
    expect(row.uses).toBe(1);
  });

  it('that does not exist is not found', async () => {
    const { errors } = await member.ask(JOIN, { code: 'nothing' });
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('cannot be created by a user outside the guild', async () => {
    const guild = await createGuild(owner);
    const { errors } = await stranger.ask(INVITE, { id: guild.textChannelId });
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('leaving', () => {
  it('hides the guild at once', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, member);
    await member.graphql(GUILD, { id: guild.id });
    await member.graphql(LEAVE, { id: guild.id });
    expect((await member.ask(GUILD, { id: guild.id })).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await member.ask(LEAVE, { id: guild.id })).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('is refused to the owner', async () => {
    const guild = await createGuild(owner);
    const { errors } = await owner.ask(LEAVE, { id: guild.id });
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('as a bot removes the installation and the managed role', async () => {
    const guild = await createGuild(owner);
    const application = await createApplication(owner);
    await install(owner, application, guild);
    await leaveGuild(await botCall(application.botToken), BigInt(guild.id));
    const { reader } = server.app.db;
    const where = { guildId: BigInt(guild.id), applicationId: BigInt(application.id) };
    expect(await reader.installation.count({ where })).toBe(0);
    expect(await reader.role.count({ where })).toBe(0);
    expect(await reader.member.count({ where: { guildId: where.guildId } })).toBe(1);
  });
});

describe('access', () => {
  it('fails for a bot with different codes for hidden and unknown guilds and channels', async () => {
    const guild = await createGuild(owner);
    const application = await createApplication(owner);
    const bot = await botCall(application.botToken);
    await expect(accessGuild(bot, BigInt(guild.id), 'viewGuild')).rejects.toMatchObject({ code: 'MISSING_ACCESS' });
    await expect(accessGuild(bot, 1n, 'viewGuild')).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
    await expect(accessChannel(bot, BigInt(guild.textChannelId), 'viewChannel')).rejects.toMatchObject({
      code: 'MISSING_ACCESS',
    });
    await expect(accessChannel(bot, 1n, 'viewChannel')).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
  });

  it('to a channel requires the permission to view it', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, member);
    await denyInChannel(server, guild, guild.textChannelId, Permission.ViewChannel);
    const query = `query ($id: ID!) { guild(id: $id) { channels { name } } }`;
    expect((await owner.graphql(query, { id: guild.id })).guild.channels).toHaveLength(2);
    expect((await member.graphql(query, { id: guild.id })).guild.channels).toEqual([{ name: 'General' }]);
    const { errors } = await member.ask(`query ($id: ID!) { channel(id: $id) { name } }`, { id: guild.textChannelId });
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('a new channel', () => {
  it('is a text channel by default, has a trimmed name and comes last', async () => {
    const guild = await createGuild(owner);
    const { createChannel } = await owner.graphql(CREATE_CHANNEL, {
      input: { guildId: guild.id, name: ' Off Topic ' },
    });
    expect(createChannel.channel).toMatchObject({ name: 'Off Topic', type: 0, guild: { id: guild.id } });
    await owner.graphql(CREATE_CHANNEL, { input: { guildId: guild.id, name: 'talk', type: 2 } });
    const { guild: after } = await owner.graphql(`query ($id: ID!) { guild(id: $id) { channels { name } } }`, {
      id: guild.id,
    });
    expect(after.channels.map((channel: { name: string }) => channel.name)).toEqual([
      'general',
      'General',
      'Off Topic',
      'talk',
    ]);
  });

  it('needs ManageChannels', async () => {
    const guild = await createGuild(owner);
    await invite(owner, guild, member);
    const input = { guildId: guild.id, name: 'mine' };
    expect((await member.ask(CREATE_CHANNEL, { input })).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await stranger.ask(CREATE_CHANNEL, { input })).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it.each([
    ['type', { name: 'thread', type: 11 }],
    ['name', { name: '' }],
    ['name', { name: 'a'.repeat(101) }],
  ])('is refused for an invalid %s', async (path, input) => {
    const guild = await createGuild(owner);
    const { errors } = await owner.ask(CREATE_CHANNEL, { input: { guildId: guild.id, ...input } });
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual([path]);
  });
});
