import { beforeAll, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { it } from '../harness/fixtures.js';
import { operationForm } from '../harness/forms.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { denyInChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let channelId: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  bob = await signUp(server, 'bob');
  guild = await createGuild(ada);
  channelId = guild.textChannelId;
  await invite(ada, guild, bob);
});

const MESSAGE = `id content author { username } createdAt editedAt embeds attachments components reactions
  channel { id } referencedMessage { id content author { username } }`;
const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { ${MESSAGE} } } }`;
const PAGE = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
  channel(id: $id) { messages(first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id content } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }
}`;

async function pageOf(id: string, args: object) {
  const { channel } = await ada.graphql(PAGE, { id, ...args });
  const { edges, pageInfo } = channel.messages;
  return { contents: edges.map((edge: { node: { content: string } }) => edge.node.content), edges, pageInfo };
}

describe('a sent message', () => {
  it('is returned by the mutation', async () => {
    const { sendMessage: sent } = await ada.graphql(SEND, { input: { channelId, content: 'hello' } });
    expect(sent.message).toMatchObject({
      content: 'hello',
      author: { username: 'ada' },
      channel: { id: channelId },
      editedAt: null,
      embeds: [],
      attachments: [],
      components: [],
      reactions: [],
      referencedMessage: null,
    });
    expect(Math.abs(Date.parse(sent.message.createdAt) - Date.now())).toBeLessThan(60_000);
  });

  it('has the same embeds for users as for bots', async () => {
    const application = await createApplication(ada);
    await install(ada, application, guild);
    const answer = await fetch(`${server.origin}/api/v10/channels/${channelId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bot ${application.botToken}` },
      body: JSON.stringify({ embeds: [{ fields: [{ name: 'Name', value: 'Value' }] }] }),
    });
    const sent = (await answer.json()) as { embeds: object[] };
    const { channel } = await ada.graphql(
      'query ($id: ID!) { channel(id: $id) { messages(last: 1) { edges { node { embeds } } } } }',
      { id: channelId },
    );
    expect(sent.embeds).toEqual([{ type: 'rich', fields: [{ name: 'Name', value: 'Value', inline: false }] }]);
    expect(channel.messages.edges[0].node.embeds).toEqual(sent.embeds);
  });

  it('shows the message that it replies to', async () => {
    const first = await sendMessage(ada, channelId, 'a question');
    const { sendMessage: sent } = await bob.graphql(SEND, {
      input: { channelId, content: 'an answer', replyTo: first },
    });
    expect(sent.message.referencedMessage).toEqual({ id: first, content: 'a question', author: { username: 'ada' } });
  });

  it('is refused with an error at replyTo if that message is missing', async () => {
    const { errors } = await ada.ask(SEND, { input: { channelId, content: 'x', replyTo: '1' } });
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual(['replyTo']);
  });

  it('follows the rules of all messages, and errors have the path of its input', async () => {
    const EDIT = 'mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { id } } }';
    const messageId = await sendMessage(ada, channelId, 'before');
    for (const content of ['a'.repeat(4001), 'x\u0000']) {
      const sent = await ada.ask(SEND, { input: { channelId, content } });
      const edited = await ada.ask(EDIT, { input: { channelId, messageId, content } });
      for (const { errors } of [sent, edited]) {
        expect(errors[0]?.extensions).toMatchObject({
          code: 'BAD_USER_INPUT',
          fields: { content: [expect.anything()] },
        });
      }
    }
    const { sendMessage: sent } = await ada.graphql(SEND, { input: { channelId, content: ` ${'😀'.repeat(4000)} ` } });
    expect(sent.message.content).toBe('😀'.repeat(4000));
  });

  it('has the files of a multipart request, in their order', async () => {
    const operation = { query: SEND, variables: { input: { channelId, content: '', files: [null, null] } } };
    const form = operationForm(operation, [
      { places: ['variables.input.files.0'], content: 'first file', filename: 'one.txt', type: 'text/plain' },
      {
        places: ['variables.input.files.1'],
        content: 'second',
        filename: 'two words.bin',
        type: 'application/x-thing',
      },
    ]);
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}` },
      body: form,
    });
    const { data, errors } = await response.json();
    expect(errors).toBeUndefined();
    const { attachments } = data.sendMessage.message;
    expect(attachments).toMatchObject([
      { filename: 'one.txt', size: 10, content_type: expect.stringMatching(/^text\/plain/) },
      { filename: 'two_words.bin', size: 6 },
    ]);
    const file = await fetch(attachments[0].url);
    expect(await file.text()).toBe('first file');
  });

  it('is refused if a file is text', async () => {
    const { errors } = await ada.ask(SEND, { input: { channelId, content: 'x', files: ['text'] } });
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('a message', () => {
  const EDIT = `mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { content editedAt } } }`;
  const DELETE = `mutation ($input: MessageIdInput!) { deleteMessage(input: $input) { id } }`;

  it('is edited only by its author', async () => {
    const messageId = await sendMessage(ada, channelId, 'before');
    const input = { channelId, messageId, content: 'after' };
    expect((await bob.ask(EDIT, { input })).errors[0]?.extensions.code).toBe('FORBIDDEN');
    const { editMessage } = await ada.graphql(EDIT, { input });
    expect(editMessage.message.content).toBe('after');
    expect(editMessage.message.editedAt).not.toBeNull();
  });

  it('is deleted only by its author or a member who manages messages', async () => {
    const adas = await sendMessage(ada, channelId, 'mine');
    const bobs = await sendMessage(bob, channelId, 'his');
    expect((await bob.ask(DELETE, { input: { channelId, messageId: adas } })).errors[0]?.extensions.code).toBe(
      'FORBIDDEN',
    );
    expect((await ada.graphql(DELETE, { input: { channelId, messageId: bobs } })).deleteMessage).toEqual({ id: bobs });
    expect((await ada.ask(DELETE, { input: { channelId, messageId: bobs } })).errors[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
  });

  it('shows reactions in the wire format, with whether one is by the caller', async () => {
    const messageId = await sendMessage(ada, channelId, 'react');
    const input = { channelId, messageId, emoji: '👍' };
    const ADD = `mutation ($input: ReactionInput!) { addReaction(input: $input) { message { reactions } } }`;
    const REMOVE = `mutation ($input: ReactionInput!) { removeReaction(input: $input) { message { reactions } } }`;
    await bob.graphql(ADD, { input });
    const { addReaction } = await ada.graphql(ADD, { input });
    expect(addReaction.message.reactions).toMatchObject([{ emoji: { id: null, name: '👍' }, count: 2, me: true }]);
    const { removeReaction } = await ada.graphql(REMOVE, { input });
    expect(removeReaction.message.reactions).toMatchObject([{ count: 1, me: false }]);
  });

  it('can be announced with startTyping, which returns the channel', async () => {
    const { startTyping } = await bob.graphql(
      `mutation ($id: ID!) { startTyping(input: { channelId: $id }) { channel { name } } }`,
      { id: channelId },
    );
    expect(startTyping.channel.name).toBe('general');
  });
});

describe('a page of messages', () => {
  let paged: string;
  beforeAll(async () => {
    const { createChannel } = await ada.graphql(
      `mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }`,
      { input: { guildId: guild.id, name: 'paged' } },
    );
    paged = createChannel.channel.id;
    for (let n = 1; n <= 7; n += 1) await sendMessage(ada, paged, `m${n}`);
  });

  it('is in ascending order from either end', async () => {
    expect(await pageOf(paged, { first: 3 })).toMatchObject({
      contents: ['m1', 'm2', 'm3'],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    expect(await pageOf(paged, { last: 3 })).toMatchObject({
      contents: ['m5', 'm6', 'm7'],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await pageOf(paged, {})).toMatchObject({
      contents: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'],
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
  });

  it('continues from a cursor in both directions, without gaps or overlaps', async () => {
    const first = await pageOf(paged, { first: 3 });
    expect(await pageOf(paged, { first: 3, after: first.pageInfo.endCursor })).toMatchObject({
      contents: ['m4', 'm5', 'm6'],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    const last = await pageOf(paged, { last: 3 });
    expect(await pageOf(paged, { last: 3, before: last.pageInfo.startCursor })).toMatchObject({
      contents: ['m2', 'm3', 'm4'],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    const between = { after: first.edges[0].cursor, before: last.edges[2].cursor };
    expect((await pageOf(paged, { first: 2, ...between })).contents).toEqual(['m2', 'm3']);
    expect((await pageOf(paged, { last: 2, ...between })).contents).toEqual(['m5', 'm6']);
  });

  it.each([
    [{ first: 0 }, 'first'],
    [{ first: 101 }, 'first'],
    [{ last: -1 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
    [{ after: 'x' }, 'after'],
  ])('is refused for %j', async (args, path) => {
    const { errors } = await ada.ask(PAGE, { id: paged, ...args });
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: { [path]: [expect.anything()] } });
  });

  it('is empty for a member who may not read the history', async () => {
    await denyInChannel(server, guild, paged, Permission.ReadMessageHistory);
    const { channel } = await bob.graphql(PAGE, { id: paged });
    expect(channel.messages).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, startCursor: null } });
    expect((await pageOf(paged, {})).contents).toHaveLength(7);
    await denyInChannel(server, guild, paged, 0n);
  });
});

describe('a query for a server with its channels and their messages', () => {
  const QUERY = `query ($id: ID!) { guild(id: $id) { name channels { name
    messages(last: 5) { edges { node { id content author { username } reactions attachments } } } } } }`;

  async function addChannels(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const { createChannel } = await ada.graphql(
        `mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }`,
        { input: { guildId: guild.id, name: `more ${n}` } },
      );
      for (let m = 0; m < 6; m += 1) await sendMessage(ada, createChannel.channel.id, `${m}`);
    }
  }

  async function statements(): Promise<string[]> {
    await ada.graphql(QUERY, { id: guild.id });
    return statementsOf(() => ada.graphql(QUERY, { id: guild.id }));
  }

  it('takes the same number of statements for many channels, messages and authors as for few', async () => {
    await addChannels(2);
    const before = await statements();
    await addChannels(8);
    expect(await statements()).toHaveLength(before.length);
    expect(before.length, before.join('\n')).toBeLessThanOrEqual(8);
  });

  it('returns the newest messages of each channel', async () => {
    const { guild: shown } = await ada.graphql(QUERY, { id: guild.id });
    const more = shown.channels.filter((channel: { name: string }) => channel.name.startsWith('more'));
    expect(more).toHaveLength(10);
    for (const { messages } of more) {
      expect(messages.edges.map((edge: { node: { content: string } }) => edge.node.content)).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
      ]);
    }
  });
});
