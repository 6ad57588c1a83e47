import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addReaction,
  deleteMessage,
  editMessage,
  listMessages,
  sendMessage,
} from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { type CountedCalls, countQueries } from '../../harness/queries.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { ONE_BUTTON, type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room, toEdit } from './scene.js';

let server: TestServer;
let room: Room;
let counted: CountedCalls;

beforeAll(async () => {
  server = await startServer();
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
  await room.say();
  counted = countQueries(server, room.ada.actor);
});
afterAll(async () => {
  await counted.close();
  await server.stop();
});

const send = (body: SentBody = { content: 'hello' }) =>
  sendMessage(counted.call, { channelId: room.channelId, body: toSend(body) });

describe('once the guild is known', () => {
  test('sending a message is one statement', async () => {
    const statements = await counted.statements(() => send());
    expect(statements).toEqual([expect.stringMatching(/^INSERT INTO/)]);
  });

  test('sending with an enforced nonce, embeds and components is one statement too', async () => {
    const body = { content: 'x', nonce: 'n', enforce_nonce: true, embeds: [{ title: 'x' }], components: ONE_BUTTON };
    expect(await counted.statements(() => send(body))).toHaveLength(1);
  });

  test('editing the text of an own message is reading it, in four looks, and one statement', async () => {
    const { id } = await send();
    for (const content of ['new', 'newer']) {
      const statements = await counted.statements(() =>
        editMessage(counted.call, { channelId: room.channelId, messageId: id, body: toEdit({ content }) }),
      );
      expect(statements).toHaveLength(5);
      expect(statements.filter((sql) => !sql.startsWith('SELECT'))).toEqual([expect.stringMatching(/^UPDATE/)]);
    }
  });

  test('deleting an own message is one look and one statement', async () => {
    const { id } = await send();
    const statements = await counted.statements(() =>
      deleteMessage(counted.call, { channelId: room.channelId, messageId: id }),
    );
    expect(statements).toHaveLength(2);
  });

  test('listing takes as many statements for fifty messages as for one, whatever they carry', async () => {
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
});
