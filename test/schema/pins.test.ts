import { beforeEach, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import { createGuild, invite, type MadeGuild, type Person, sendMessage, signUp } from '../harness/people.js';
import { denyInChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let channelId: string;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
beforeEach(async () => {
  guild = await createGuild(ada);
  channelId = guild.textChannelId;
  await invite(ada, guild, bob);
});

const LIST = `query ($id: ID!, $first: Int, $before: DateTime) { channel(id: $id) { pins(first: $first, before: $before) {
  hasMore items { pinnedAt message { id pinned content attachments author { id } } } } } }`;
const pinsOf = async (person: Person, args: object = {}): Promise<Loose> =>
  (await person.graphql(LIST, { id: channelId, ...args })).channel.pins;
const contents = ({ items }: Loose): string[] => items.map(({ message }: Loose) => message.content);
const change = (verb: 'pin' | 'unpin', messageId: string) =>
  ada.graphql(`mutation ($i: MessageIdInput!) { made: ${verb}Message(input: $i) { message { pinned } } }`, {
    i: { channelId, messageId },
  });

async function pin(content: string): Promise<string> {
  const messageId = await sendMessage(ada, channelId, content);
  expect(await change('pin', messageId)).toEqual({ made: { message: { pinned: true } } });
  return messageId;
}

test('pins are listed in pages, the latest first', async () => {
  const [one, two, three] = [await pin('one'), await pin('two'), await pin('three')];
  const first = await pinsOf(bob, { first: 2 });
  expect([contents(first), first.hasMore]).toEqual([['three', 'two'], true]);
  expect(first.items[0].message).toMatchObject({ id: three, pinned: true, attachments: [], author: { id: ada.id } });
  const rest = await pinsOf(bob, { first: 2, before: first.items[1].pinnedAt });
  expect([contents(rest), rest.hasMore]).toEqual([['one'], false]);
  expect(await change('unpin', two)).toEqual({ made: { message: { pinned: false } } });
  expect(contents(await pinsOf(bob))).toEqual(['three', 'one']);
  expect(rest.items[0].message.id).toBe(one);
});

test('pins are hidden from a member who may not read the history, and a page has at most 50', async () => {
  await pin('one');
  await denyInChannel(server, guild, channelId, Permission.ReadMessageHistory);
  expect(await pinsOf(bob)).toEqual({ items: [], hasMore: false });
  expect(codeOf(await ada.ask(LIST, { id: channelId, first: 51 }))).toBe('BAD_USER_INPUT');
});

test('a list of pins takes the same number of statements for many pins as for few', async () => {
  await pin('one');
  const statements = async () => (await statementsOf(() => pinsOf(ada))).length;
  const few = await statements();
  for (const content of ['two', 'three', 'four']) await pin(content);
  expect(await statements()).toBe(few);
});

test('a member who manages messages deletes several at once', async () => {
  const DELETE = 'mutation ($i: DeleteMessagesInput!) { deleteMessages(input: $i) { ids } }';
  const messageIds = [await sendMessage(ada, channelId, 'one'), await sendMessage(bob, channelId, 'two')];
  const kept = await sendMessage(bob, channelId, 'three');
  expect(codeOf(await bob.ask(DELETE, { i: { channelId, messageIds } }))).toBe('FORBIDDEN');
  expect(codeOf(await ada.ask(DELETE, { i: { channelId, messageIds: [kept] } }))).toBe('BAD_USER_INPUT');
  const twice = await ada.ask(DELETE, { i: { channelId, messageIds: [kept, kept] } });
  expect(Object.keys(twice.errors[0]?.extensions.fields ?? {})).toEqual(['messageIds']);
  expect(await ada.graphql(DELETE, { i: { channelId, messageIds } })).toEqual({ deleteMessages: { ids: messageIds } });
  const left = await server.app.db.reader.message.findMany({ where: { channelId: BigInt(channelId) } });
  expect(left.map(({ id }) => String(id))).toEqual([kept]);
});
