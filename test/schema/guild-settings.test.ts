import { describe, expect } from 'vitest';
import { ALL_PERMISSIONS, DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { codeOf } from '../harness/graphql.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { faultsOf } from '../harness/settings.js';

let server: TestServer;
let owner: Person;
let ada: Person;
let stranger: Person;
let guild: MadeGuild;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, ada, stranger] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'ada'),
    signUp(server, 'stranger'),
  ]);
  guild = await createGuild(owner);
  await invite(owner, guild, ada);
});

const UPDATE = `mutation ($input: UpdateGuildInput!) {
  updateGuild(input: $input) { guild {
    name description afkChannelId afkTimeout systemChannelId verificationLevel preferredLocale
  } }
}`;
const EMOJI = 'emoji { id name animated imageUrl roles { id } creator { id } }';

describe('the settings of a server', () => {
  test('are changed only by a member who manages the server', async () => {
    const { updateGuild } = await owner.graphql(UPDATE, {
      input: {
        guildId: guild.id,
        name: 'Harbour',
        description: 'ours',
        afkChannelId: guild.voiceChannelId,
        afkTimeout: 60,
        systemChannelId: guild.textChannelId,
        verificationLevel: 1,
        preferredLocale: 'de',
      },
    });
    expect(updateGuild.guild).toEqual({
      name: 'Harbour',
      description: 'ours',
      afkChannelId: guild.voiceChannelId,
      afkTimeout: 60,
      systemChannelId: guild.textChannelId,
      verificationLevel: 1,
      preferredLocale: 'de',
    });
    const change = { input: { guildId: guild.id, name: 'No' } };
    expect(codeOf(await ada.ask(UPDATE, change))).toBe('FORBIDDEN');
    expect(codeOf(await stranger.ask(UPDATE, change))).toBe('NOT_FOUND');
    const faulty = { guildId: guild.id, name: '', afkTimeout: 7, preferredLocale: 'xx' };
    expect(Object.keys(faultsOf(await owner.ask(UPDATE, { input: faulty }))).sort()).toEqual([
      'afkTimeout',
      'name',
      'preferredLocale',
    ]);
  });

  test('show the permissions of the caller', async () => {
    const query = 'query ($id: ID!) { guild(id: $id) { viewerPermissions } }';
    const shownTo = async (person: Person) => (await person.graphql(query, { id: guild.id })).guild.viewerPermissions;
    expect(await shownTo(owner)).toBe(String(ALL_PERMISSIONS));
    expect(await shownTo(ada)).toBe(String(DEFAULT_EVERYONE_PERMISSIONS));
  });

  test('have their changes in pages of the audit log, for members who may view it', async () => {
    const query = `query ($id: ID!, $last: Int) { guild(id: $id) { auditLog(last: $last) {
      edges { node { action actor { id } target } } pageInfo { hasPreviousPage }
    } } }`;
    const shownTo = async (person: Person, last = 1) =>
      (await person.graphql(query, { id: guild.id, last })).guild.auditLog;
    await owner.graphql(UPDATE, { input: { guildId: guild.id, name: 'Quay' } });
    expect(await shownTo(owner)).toEqual({
      edges: [{ node: { action: 'GUILD_UPDATE', actor: { id: owner.id }, target: guild.id } }],
      pageInfo: { hasPreviousPage: true },
    });
    expect((await shownTo(ada)).edges).toEqual([]);
  });
});

describe('the emojis of a server', () => {
  test('are renamed and deleted only by a member who manages them', async () => {
    const { id } = await server.app.db.writer.emoji.create({
      data: {
        id: server.app.nextId(),
        guildId: BigInt(guild.id),
        name: 'wave',
        creatorId: BigInt(ada.id),
        roleIds: [],
      },
    });
    const key = { guildId: guild.id, emojiId: String(id) };
    const update = `mutation ($input: UpdateEmojiInput!) { updateEmoji(input: $input) { ${EMOJI} } }`;
    const remove = 'mutation ($input: EmojiIdInput!) { deleteEmoji(input: $input) { id } }';
    expect(codeOf(await ada.ask(update, { input: { ...key, name: 'no' } }))).toBe('FORBIDDEN');
    const { updateEmoji } = await owner.graphql(update, { input: { ...key, name: 'hello', roleIds: [guild.id] } });
    expect(updateEmoji.emoji).toEqual({
      id: String(id),
      name: 'hello',
      animated: false,
      imageUrl: `${server.origin}/cdn/emojis/${id}.png`,
      roles: [{ id: guild.id }],
      creator: { id: ada.id },
    });
    const list = 'query ($id: ID!) { guild(id: $id) { emojis { name } } }';
    expect((await ada.graphql(list, { id: guild.id })).guild.emojis).toEqual([{ name: 'hello' }]);
    expect(await owner.graphql(remove, { input: key })).toEqual({ deleteEmoji: { id: String(id) } });
    expect(codeOf(await owner.ask(remove, { input: key }))).toBe('NOT_FOUND');
  });
});

describe('an invite', () => {
  test('shows its server before a user joins, and whether the membership is temporary', async () => {
    const create = `mutation ($input: ChannelIdInput!, $temporary: Boolean) {
      createInvite(input: $input, temporary: $temporary) { invite { code temporary } }
    }`;
    const { createInvite } = await owner.graphql(create, {
      input: { channelId: guild.textChannelId },
      temporary: true,
    });
    expect(createInvite.invite.temporary).toBe(true);
    const query = 'query ($code: String!) { invite(code: $code) { guildId memberCount temporary inviter { id } } }';
    expect((await stranger.graphql(query, { code: createInvite.invite.code })).invite).toEqual({
      guildId: guild.id,
      memberCount: 2,
      temporary: true,
      inviter: { id: owner.id },
    });
    expect(codeOf(await stranger.ask(query, { code: 'aaaaaaaa' }))).toBe('NOT_FOUND');
  });
});

test('a server is deleted by its owner alone', async () => {
  const { id } = await createGuild(owner, 'Short-lived');
  const remove = 'mutation ($input: GuildIdInput!) { deleteGuild(input: $input) { id } }';
  expect(codeOf(await ada.ask(remove, { input: { guildId: id } }))).toBe('NOT_FOUND');
  expect(codeOf(await ada.ask(remove, { input: { guildId: guild.id } }))).toBe('FORBIDDEN');
  expect(await owner.graphql(remove, { input: { guildId: id } })).toEqual({ deleteGuild: { id } });
  expect(codeOf(await owner.ask('query ($id: ID!) { guild(id: $id) { id } }', { id }))).toBe('NOT_FOUND');
  const { guilds } = await owner.graphql('{ guilds { id } }');
  expect(guilds.map((one: { id: string }) => one.id)).toEqual([guild.id]);
});
