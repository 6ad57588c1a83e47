import { beforeEach, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import { createGuild, invite, type Person, sendMessage, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let at: { channelId: string; messageId: string };
let guildId: string;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
beforeEach(async () => {
  const guild = await createGuild(ada);
  guildId = guild.id;
  await invite(ada, guild, bob);
  const channelId = guild.textChannelId;
  at = { channelId, messageId: await sendMessage(ada, channelId, 'otters') };
  for (const [person, emoji] of [
    [ada, '👍'],
    [bob, '👍'],
    [bob, '🦦'],
  ] as const) {
    await person.graphql('mutation ($i: ReactionInput!) { addReaction(input: $i) { message { id } } }', {
      i: { ...at, emoji },
    });
  }
});

const USERS = `query ($id: ID!, $emoji: String!, $first: Int, $after: ID) { channel(id: $id) {
  messages(last: 1) { edges { node { reactionUsers(emoji: $emoji, first: $first, after: $after) { id } } } } } }`;
async function usersOf(emoji: string, args: object = {}): Promise<string[]> {
  const { channel } = await ada.graphql(USERS, { id: at.channelId, emoji, ...args });
  return channel.messages.edges[0].node.reactionUsers.map(({ id }: Loose) => id);
}
const REMOVE = `mutation ($i: UserReactionInput!) { removeUserReaction(input: $i) { message { reactions } } }`;
const CLEAR = 'mutation ($i: ClearReactionsInput!) { clearReactions(input: $i) { message { reactions } } }';

test('the users who reacted with an emoji are listed in pages', async () => {
  expect(await usersOf('👍')).toEqual([ada.id, bob.id]);
  expect(await usersOf('👍', { first: 1 })).toEqual([ada.id]);
  expect(await usersOf('👍', { first: 1, after: ada.id })).toEqual([bob.id]);
  expect(await usersOf('🎈')).toEqual([]);
});

test('a reaction of another user is removed only by a member who manages messages', async () => {
  const i = { ...at, emoji: '👍', userId: ada.id };
  expect(codeOf(await bob.ask(REMOVE, { i }))).toBe('FORBIDDEN');
  const { removeUserReaction } = await ada.graphql(REMOVE, { i: { ...i, userId: bob.id } });
  expect(removeUserReaction.message.reactions).toMatchObject([{ count: 1, me: true }, { count: 1 }]);
  expect(await usersOf('👍')).toEqual([ada.id]);
});

test('all reactions, or those with one emoji, are removed only by a member who manages messages', async () => {
  expect(codeOf(await bob.ask(CLEAR, { i: at }))).toBe('FORBIDDEN');
  expect(codeOf(await ada.ask(CLEAR, { i: { ...at, emoji: '' } }))).toBe('BAD_USER_INPUT');
  const { clearReactions } = await ada.graphql(CLEAR, { i: { ...at, emoji: '👍' } });
  expect(clearReactions.message.reactions).toMatchObject([{ emoji: { name: '🦦' }, count: 1 }]);
  expect((await ada.graphql(CLEAR, { i: at })).clearReactions.message.reactions).toEqual([]);
});

test('an unusable emoji causes an error at the argument that names it', async () => {
  const { app } = server;
  const { id } = await app.db.writer.emoji.create({
    data: {
      id: app.nextId(),
      name: 'otter',
      guildId: BigInt(guildId),
      creatorId: BigInt(ada.id),
      roleIds: [String(app.nextId())],
    },
  });
  const faults = { emoji: [{ code: 'UNKNOWN_EMOJI', message: 'Unknown Emoji' }] };
  const add = 'mutation ($i: ReactionInput!) { addReaction(input: $i) { message { id } } }';
  const remove = 'mutation ($i: ReactionInput!) { removeReaction(input: $i) { message { id } } }';
  const missing = `otter:${app.nextId()}`;
  const refused: [query: string, variables: object][] = [
    [add, { i: { ...at, emoji: `otter:${id}` } }],
    [add, { i: { ...at, emoji: 'otter' } }],
    [remove, { i: { ...at, emoji: missing } }],
    [REMOVE, { i: { ...at, emoji: missing, userId: ada.id } }],
    [CLEAR, { i: { ...at, emoji: missing } }],
    [USERS, { id: at.channelId, emoji: missing }],
  ];
  for (const [query, variables] of refused) {
    const { errors } = await ada.ask(query, variables);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', fields: faults });
  }
});
