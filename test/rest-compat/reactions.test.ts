import { beforeEach, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
let message: string;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  message = `${scene.messages}/${(await scene.send()).id}`;
});

const path = (emoji: string, rest = '') => `${message}/reactions/${encodeURIComponent(emoji)}${rest}`;
const reactionsSeenBy = async (bot: Scene['bot']) => (await bot.get(message)).body.reactions;

describe('PUT …/reactions/{emoji}/@me', () => {
  test("204: adds the reaction, and marks the reader's own", async () => {
    expect((await scene.bot.put(path('👍', '/@me'))).status).toBe(204);
    expect((await scene.other.put(path('👍', '/@me'))).status).toBe(204);
    expect((await scene.other.put(path('❤️', '/@me'))).status).toBe(204);
    const { body } = await scene.bot.get(message);
    expectReference('MessageResponse', body);
    expect(body.reactions).toMatchObject([
      { emoji: { id: null, name: '👍' }, count: 2, me: true },
      { emoji: { id: null, name: '❤️' }, count: 1, me: false },
    ]);
  });

  test('204: treats repeats and variation selectors as one reaction, under the first name', async () => {
    for (const emoji of ['❤', '❤\ufe0f', '1\ufe0f\u20e3', '1\u20e3'])
      expect((await scene.bot.put(path(emoji, '/@me'))).status).toBe(204);
    await scene.other.put(path('❤\ufe0f', '/@me'));
    expect(await reactionsSeenBy(scene.bot)).toMatchObject([
      { emoji: { name: '❤' }, count: 2 },
      { emoji: { name: '1\ufe0f\u20e3' }, count: 1 },
    ]);
    expect((await scene.bot.get(path('❤\ufe0f'))).body).toHaveLength(2);
    await scene.other.delete(path('❤\ufe0f', '/@me'));
    await scene.bot.delete(path('1\u20e3', '/@me'));
    expect(await reactionsSeenBy(scene.bot)).toMatchObject([{ emoji: { name: '❤' }, count: 1 }]);
  });

  test('204: accepts a single regional indicator', async () => {
    expect((await scene.bot.put(path('🇦', '/@me'))).status).toBe(204);
    expect(await reactionsSeenBy(scene.bot)).toMatchObject([{ emoji: { id: null, name: '🇦' }, count: 1 }]);
  });

  test.each(['a', '👍👍', 'smile:1', '\ufe0f', '%', '', '\u0000', 'x'.repeat(3000), '1'])(
    '400: "%s" is not an emoji (10014)',
    async (emoji) => {
      const { status, body } = await scene.bot.put(path(emoji, '/@me'));
      expect({ status, code: body.code }).toEqual(
        emoji === '' ? { status, code: 10014 } : { status: 400, code: 10014 },
      );
    },
  );

  test('403: adding a new emoji needs AddReactions, joining an existing one does not', async () => {
    await scene.bot.put(path('👍', '/@me'));
    await scene.permit(Permission.ViewChannel | Permission.ReadMessageHistory);
    expect((await scene.other.put(path('👎', '/@me'))).body.code).toBe(50013);
    expect((await scene.other.put(path('👍', '/@me'))).status).toBe(204);
  });
});

describe('GET …/reactions/{emoji}', () => {
  test('200: pages through the users who reacted', async () => {
    await scene.bot.put(path('👍', '/@me'));
    await scene.other.put(path('👍', '/@me'));
    const { status, body } = await scene.bot.get(path('👍'));
    expect(status).toBe(200);
    for (const user of body) expectReference('UserResponse', user);
    const ids = body.map((user: { id: string }) => user.id);
    expect([...ids].sort()).toEqual([scene.bot.id, scene.other.id].sort());
    expect((await scene.bot.get(path('👍', '?limit=1'))).body).toEqual([body[0]]);
    expect((await scene.bot.get(path('👍', `?after=${ids[0]}`))).body).toEqual([body[1]]);
    expect((await scene.bot.get(path('👎'))).body).toEqual([]);
    expect((await scene.bot.get(path('👍', '?type=0'))).body).toEqual(body);
    expect((await scene.bot.get(path('👍', '?type=1'))).body).toEqual([]);
    expect((await scene.bot.get(path('👍', '?type=2'))).body.code).toBe(50035);
  });
});

describe('DELETE …/reactions', () => {
  beforeEach(async () => {
    await scene.bot.put(path('👍', '/@me'));
    await scene.other.put(path('👍', '/@me'));
    await scene.bot.put(path('👎', '/@me'));
  });

  test("204: removes the bot's own by @me or by id, also if repeated", async () => {
    expect((await scene.bot.delete(path('👍', '/@me'))).status).toBe(204);
    expect((await scene.bot.delete(path('👍', '/@me'))).status).toBe(204);
    expect((await scene.bot.delete(path('👎', `/${scene.bot.id}`))).status).toBe(204);
    expect(await reactionsSeenBy(scene.bot)).toMatchObject([{ emoji: { name: '👍' }, count: 1, me: false }]);
  });

  test('403: removing those of others requires ManageMessages', async () => {
    for (const rest of [path('👍', `/${scene.other.id}`), path('👍'), `${message}/reactions`]) {
      const { status, body } = await scene.bot.delete(rest);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 50013 });
    }
    expect(await reactionsSeenBy(scene.bot)).toHaveLength(2);
  });

  test('204: removes those of others, one emoji or all, with ManageMessages', async () => {
    await scene.permit(Permission.ViewChannel | Permission.ReadMessageHistory | Permission.ManageMessages);
    expect((await scene.other.delete(path('👎', `/${scene.bot.id}`))).status).toBe(204);
    expect(await reactionsSeenBy(scene.bot)).toMatchObject([{ emoji: { name: '👍' }, count: 2 }]);
    expect((await scene.other.delete(path('👍'))).status).toBe(204);
    expect(await reactionsSeenBy(scene.bot)).toBeUndefined();
    await scene.permit(0xffff_ffffn);
    await scene.bot.put(path('🎉', '/@me'));
    expect((await scene.other.delete(`${message}/reactions`)).status).toBe(204);
    expect(await reactionsSeenBy(scene.bot)).toBeUndefined();
  });
});
