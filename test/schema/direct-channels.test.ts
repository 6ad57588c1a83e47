import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { codeOf } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { subscribe } from '../harness/subscriptions.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let application: MadeApplication;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  const guild = await createGuild(ada);
  await invite(ada, guild, bob);
  application = await createApplication(ada);
  await install(ada, application, guild);
});

const OPEN = `mutation ($input: OpenDirectChannelInput!) {
  openDirectChannel(input: $input) { channel { id type name guild { id } recipients { id } } }
}`;
const CLOSE = `mutation ($input: ChannelIdInput!) {
  closeDirectChannel(input: $input) { channel { id recipients { id } } }
}`;
const PAGE = `query ($id: ID!) { channel(id: $id) { messages(last: 10) { edges { node { id content pinned } } } } }`;
const open = async (person: Person, userId: string) =>
  (await person.graphql(OPEN, { input: { userId } })).openDirectChannel.channel;

describe('a direct channel', () => {
  test('is opened with a user or a bot, and is the same one from both sides', async () => {
    const channel = await open(ada, bob.id);
    expect(channel).toEqual({ id: expect.any(String), type: 1, name: '', guild: null, recipients: [{ id: bob.id }] });
    expect(await open(bob, ada.id)).toMatchObject({ id: channel.id, recipients: [{ id: ada.id }] });
    expect(await open(ada, application.id)).toMatchObject({ recipients: [{ id: application.id }] });
  });

  test('is refused with strangers, with the caller and with missing users', async () => {
    const stranger = await createPerson(server.app);
    const codeOf = async (userId: unknown) => (await ada.ask(OPEN, { input: { userId } })).errors[0]?.extensions?.code;
    expect(await codeOf(String(stranger.id))).toBe('FORBIDDEN');
    expect([await codeOf(ada.id), await codeOf('5'), await codeOf('abc')]).toEqual(Array(3).fill('BAD_USER_INPUT'));
  });

  test('shows its messages and events to its two users alone', async () => {
    const { id: channelId } = await open(ada, application.id);
    const events = await subscribe(server, ada, channelId);
    const messageId = await sendMessage(ada, channelId, 'hello');
    expect(await events.next()).toMatchObject({
      type: 'MESSAGE_CREATE',
      data: { id: messageId, content: 'hello' },
    });
    const { channel } = await ada.graphql(PAGE, { id: channelId });
    expect(channel.messages.edges).toEqual([{ node: { id: messageId, content: 'hello', pinned: false } }]);
    expect((await bob.ask(PAGE, { id: channelId })).errors[0]?.extensions?.code).toBe('NOT_FOUND');
    await ada.graphql(`mutation ($input: MessageIdInput!) { pinMessage(input: $input) { message { pinned } } }`, {
      input: { channelId, messageId },
    });
    await ada.graphql(`mutation ($input: MessageIdInput!) { unpinMessage(input: $input) { message { pinned } } }`, {
      input: { channelId, messageId },
    });
    await events.close();
  });

  test('disappears from the list of the user who closes it, until a message comes or that user opens it', async () => {
    const { id: channelId } = await open(ada, bob.id);
    const kept = [(await open(ada, application.id)).id];
    const listed = async (person: Person) =>
      (await person.graphql('{ directChannels { edges { cursor } } }')).directChannels.edges.map(
        ({ cursor }: { cursor: string }) => cursor,
      );
    const messageId = await sendMessage(bob, channelId, 'before');
    const close = () => ada.graphql(CLOSE, { input: { channelId } });
    expect((await close()).closeDirectChannel.channel).toEqual({ id: channelId, recipients: [{ id: bob.id }] });
    expect([await listed(ada), await listed(bob)]).toEqual([kept, [channelId]]);
    expect((await ada.graphql(PAGE, { id: channelId })).channel.messages.edges).toEqual([
      { node: { id: messageId, content: 'before', pinned: false } },
    ]);
    await sendMessage(bob, channelId, 'after');
    expect(await listed(ada)).toEqual([channelId, ...kept].toSorted());
    await close();
    expect(await listed(ada)).toEqual(kept);
    await open(bob, ada.id);
    expect(await listed(ada)).toEqual(kept);
    await open(ada, bob.id);
    expect(await listed(ada)).toEqual([channelId, ...kept].toSorted());
    const guild = await createGuild(ada);
    const refused = await ada.ask(CLOSE, { input: { channelId: guild.textChannelId } });
    expect(codeOf(refused)).toBe('NOT_FOUND');
  });

  test('appears in the lists of its two users, with a page of its messages', async () => {
    const ids = [(await open(ada, bob.id)).id, (await open(ada, application.id)).id].toSorted();
    const list = `query ($first: Int, $after: String, $last: Int, $before: String) {
      directChannels(first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasNextPage endCursor } edges { node { id recipients { id } messages(last: 1) { edges { node { id } } } } } } }`;
    const { directChannels } = await ada.graphql(list);
    expect(directChannels.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids);
    const first = (await ada.graphql(list, { first: 1 })).directChannels;
    expect(first).toMatchObject({ pageInfo: { hasNextPage: true, endCursor: ids[0] } });
    const rest = (await ada.graphql(list, { first: 1, after: ids[0] })).directChannels;
    expect(rest).toMatchObject({ pageInfo: { hasNextPage: false }, edges: [{ node: { id: ids[1] } }] });
    const earlier = (await ada.graphql(list, { last: 2, before: ids[1] })).directChannels;
    expect(earlier.edges).toMatchObject([{ node: { id: ids[0] } }]);
    expect((await bob.graphql(list)).directChannels.edges).toHaveLength(1);
  });
});
