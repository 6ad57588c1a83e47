import { beforeEach, describe, expect } from 'vitest';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { it } from '../harness/fixtures.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';

let server: TestServer;
let owner: Person;
let member: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, member] = await Promise.all([signUp(server, 'owner'), signUp(server, 'member')]);
});
beforeEach(async () => {
  guild = await createGuild(owner);
  await invite(owner, guild, member);
});

const FIELDS = `id name type topic nsfw rateLimitPerUser bitrate userLimit position parent { id name } overwrites`;

async function create(input: object) {
  const mutation = `mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { ${FIELDS} } } }`;
  return (await owner.graphql(mutation, { input: { guildId: guild.id, ...input } })).createChannel.channel;
}

const UPDATE = `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { ${FIELDS} } } }`;
const DELETE = `mutation ($id: ID!) { deleteChannel(input: { channelId: $id }) { id } }`;
const SORT = `mutation ($input: SetChannelPositionsInput!) {
  setChannelPositions(input: $input) { channels { id position parent { id } } }
}`;
const SAY = `mutation ($input: SetChannelOverwriteInput!) {
  setChannelOverwrite(input: $input) { channel { id overwrites } }
}`;
const TAKE_BACK = `mutation ($input: DeleteChannelOverwriteInput!) {
  deleteChannelOverwrite(input: $input) { channel { overwrites } }
}`;

const said = (deny: bigint) => ({ targetId: guild.id, targetType: 'ROLE', deny: String(deny) });
const shown = (deny: bigint) => ({ id: guild.id, type: 0, allow: '0', deny: String(deny) });

describe('a channel', () => {
  it('is created with the given settings, in a category and with its overwrites', async () => {
    const category = await create({ name: 'Texts', type: 4, overwrites: [said(Permission.AddReactions)] });
    const given = { name: 'talk', type: 0, topic: 'x', nsfw: true, rateLimitPerUser: 5, position: 8 };
    expect(await create({ ...given, parentId: category.id })).toEqual({
      ...given,
      id: expect.any(String),
      bitrate: 64_000,
      userLimit: 0,
      parent: { id: category.id, name: 'Texts' },
      overwrites: [shown(Permission.AddReactions)],
    });
  });

  it('changes only the given settings, and null resets one', async () => {
    const { id: channelId } = await create({ name: 'talk', topic: 'x', rateLimitPerUser: 5 });
    const input = { channelId, name: 'news', topic: null, overwrites: [said(Permission.SendMessages)] };
    const { data } = await owner.ask(UPDATE, { input });
    expect(data.updateChannel.channel).toMatchObject({
      name: 'news',
      topic: null,
      rateLimitPerUser: 5,
      overwrites: [shown(Permission.SendMessages)],
    });
  });

  it('is not found after it is deleted', async () => {
    expect((await owner.ask(DELETE, { id: guild.textChannelId })).data.deleteChannel.id).toBe(guild.textChannelId);
    expect((await owner.ask(DELETE, { id: guild.textChannelId })).errors[0]?.extensions.code).toBe('NOT_FOUND');
    const { errors } = await owner.ask(`query ($id: ID!) { channel(id: $id) { id } }`, { id: guild.textChannelId });
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('is sorted with others, and the response lists them as the input does', async () => {
    const { id: parentId } = await create({ name: 'Texts', type: 4 });
    const positions = [{ channelId: guild.voiceChannelId }, { channelId: guild.textChannelId, position: 4, parentId }];
    const { data } = await owner.ask(SORT, { input: { guildId: guild.id, positions } });
    expect(data.setChannelPositions.channels).toEqual([
      { id: guild.voiceChannelId, position: 1, parent: null },
      { id: guild.textChannelId, position: 4, parent: { id: parentId } },
    ]);
  });

  it('gains and loses overwrites', async () => {
    const key = { channelId: guild.textChannelId, targetId: guild.id };
    const { data } = await owner.ask(SAY, { input: { ...key, ...said(Permission.SendMessages) } });
    expect(data.setChannelOverwrite.channel.overwrites).toEqual([shown(Permission.SendMessages)]);
    const taken = await owner.ask(TAKE_BACK, { input: key });
    expect(taken.data.deleteChannelOverwrite.channel.overwrites).toEqual([]);
    expect((await owner.ask(TAKE_BACK, { input: key })).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('shows what the caller may do in it', async () => {
    await owner.ask(SAY, { input: { channelId: guild.textChannelId, ...said(Permission.SendMessages) } });
    const query = `query ($id: ID!) { guild(id: $id) { channels { id viewerPermissions } } }`;
    const bitsOf = async (person: Person) => {
      const { channels } = (await person.graphql(query, { id: guild.id })).guild;
      const found = channels.find(({ id }: { id: string }) => id === guild.textChannelId);
      return BigInt(found.viewerPermissions);
    };
    expect(await bitsOf(owner)).toBe(ALL_PERMISSIONS);
    const bits = await bitsOf(member);
    expect([bits & Permission.SendMessages, bits & Permission.ViewChannel]).toEqual([0n, Permission.ViewChannel]);
  });

  it('takes no statements of its own in a list', async () => {
    const query = `query ($id: ID!) { guild(id: $id) { channels { ${FIELDS} viewerPermissions } } }`;
    const count = async () => (await statementsOf(() => owner.graphql(query, { id: guild.id }))).length;
    const { id: parentId } = await create({ name: 'Texts', type: 4 });
    await create({ name: 'one', parentId });
    await owner.graphql(query, { id: guild.id });
    const few = await count();
    for (const name of ['two', 'three', 'four']) await create({ name, parentId, overwrites: [said(1024n)] });
    await owner.graphql(query, { id: guild.id });
    expect(await count()).toBe(few);
  });
});

describe('a channel mutation', () => {
  const code = async (mutation: string, variables: object, person = owner) =>
    (await person.ask(mutation, variables)).errors[0]?.extensions;

  it('is refused with the path of each invalid field', async () => {
    const fields = (extensions: { fields?: object } | undefined) => Object.keys(extensions?.fields ?? {});
    const channelId = guild.textChannelId;
    expect(fields(await code(UPDATE, { input: { channelId, parentId: channelId } }))).toEqual(['parentId']);
    expect(fields(await code(UPDATE, { input: { channelId, type: 2 } }))).toEqual(['type']);
    const overwrites = [{ ...said(0n), allow: 'x' }];
    expect(fields(await code(UPDATE, { input: { channelId, overwrites } }))).toEqual(['overwrites.0.allow']);
    const positions = [{ channelId, parentId: channelId }];
    expect(fields(await code(SORT, { input: { guildId: guild.id, positions } }))).toEqual(['positions.0.parentId']);
  });

  it('is refused if the caller lacks the permission', async () => {
    const channelId = guild.textChannelId;
    for (const [mutation, variables] of [
      [UPDATE, { input: { channelId, name: 'x' } }],
      [DELETE, { id: channelId }],
      [SORT, { input: { guildId: guild.id, positions: [] } }],
      [SAY, { input: { channelId, ...said(0n) } }],
      [TAKE_BACK, { input: { channelId, targetId: guild.id } }],
    ] as const) {
      expect((await code(mutation, variables, member))?.code).toBe('FORBIDDEN');
    }
  });
});
