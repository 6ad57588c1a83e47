import { afterAll, describe, expect } from 'vitest';
import {
  addReaction,
  deleteMessage,
  deleteMessages,
  editMessage,
  listMessages,
  listPins,
  pinMessage,
  sendMessage,
} from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { planOf } from '../../harness/plans.js';
import { type CountedCalls, countQueries } from '../../harness/queries.js';
import type { TestServer } from '../../harness/server.js';
import { ONE_BUTTON, type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room, toEdit } from './scene.js';

let server: TestServer;
let room: Room;
let counted: CountedCalls;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
  await room.say();
  counted = countQueries(server, room.ada.actor);
});
afterAll(async () => {
  await counted.close();
});

const send = (body: SentBody = { content: 'hello' }) =>
  sendMessage(counted.call, { channelId: room.channelId, body: toSend(body) });

describe('with a cached guild', () => {
  test('sending a message takes one statement', async () => {
    const statements = await counted.statements(() => send());
    expect(statements).toEqual([expect.stringMatching(/^INSERT INTO|INSERT INTO "Message"/)]);
  });

  test('sending with an enforced nonce, embeds and components takes one statement too', async () => {
    const body = { content: 'x', nonce: 'n', enforce_nonce: true, embeds: [{ title: 'x' }], components: ONE_BUTTON };
    expect(await counted.statements(() => send(body))).toHaveLength(1);
  });

  test('editing the text of an own message takes four reads and one write', async () => {
    const { id } = await send();
    for (const content of ['new', 'newer']) {
      const statements = await counted.statements(() =>
        editMessage(counted.call, { channelId: room.channelId, messageId: id, body: toEdit({ content }) }),
      );
      expect(statements).toHaveLength(5);
      expect(statements.filter((sql) => !sql.startsWith('SELECT'))).toEqual([expect.stringMatching(/^UPDATE/)]);
    }
  });

  test('deleting an own message takes two reads, of the message and its files, and one write', async () => {
    const { id } = await send();
    const statements = await counted.statements(() =>
      deleteMessage(counted.call, { channelId: room.channelId, messageId: id }),
    );
    expect(statements).toHaveLength(3);
  });

  test('listing takes the same number of statements for one message and for fifty, with any content', async () => {
    const first = await room.say();
    for (let n = 0; n < 50; n += 1) {
      const { id } = await sendMessage(room.bob, {
        channelId: room.channelId,
        body: toSend({ content: `<@${room.users.ada.id}> ${n}`, message_reference: { message_id: String(first) } }),
      });
      await addReaction(room.bob, { channelId: room.channelId, messageId: id, emoji: '👍' });
    }
    const list = (limit: number) => () => listMessages(counted.call, { channelId: room.channelId, limit });
    const [one, fifty] = [await counted.statements(list(1)), await counted.statements(list(50))];
    expect(fifty).toHaveLength(one.length);
    expect(fifty.length).toBeLessThanOrEqual(9);
  });

  test('only a reaction with a new emoji counts the emoji of the message', async () => {
    const messageId = await room.say();
    await addReaction(room.bob, { channelId: room.channelId, messageId, emoji: '👍' });
    const react = (emoji: string) =>
      counted.statements(() => addReaction(counted.call, { channelId: room.channelId, messageId, emoji }));
    const counts = (statements: string[]) => statements.filter((sql) => sql.includes('GROUP BY')).length;
    expect([counts(await react('👍')), counts(await react('🎉'))]).toEqual([0, 1]);
  });

  test('deleting many at once takes as many statements as deleting two', async () => {
    const remove = async (count: number) => {
      const messageIds: bigint[] = [];
      for (let n = 0; n < count; n += 1) messageIds.push(await room.say());
      return counted.statements(() => deleteMessages(counted.call, { channelId: room.channelId, messageIds }));
    };
    const [two, ten] = [await remove(2), await remove(10)];
    expect(ten).toHaveLength(two.length);
  });

  test('pages of messages and pins are read through an index, regardless of their number', async () => {
    await pinMessage(room.ada, { channelId: room.channelId, messageId: await room.say() });
    const id = await room.say();
    const pages = [{}, { before: id }, { after: id - 1n }, { around: id }];
    for (const page of pages) {
      const [first = ''] = await counted.statements(() =>
        listMessages(counted.call, { channelId: room.channelId, limit: 50, ...page }),
      );
      expect(await planOf(server, first)).toContain('Message_public_channelId_id_idx');
    }
    const [pins = ''] = await counted.statements(() =>
      listPins(counted.call, { channelId: room.channelId, limit: 50 }),
    );
    expect(await planOf(server, pins)).toContain('Pin_channelId_pinnedAt_idx');
  });
});
