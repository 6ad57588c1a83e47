import { DiscordAPIError, REST } from '@discordjs/rest';
import { type APIMessage, Routes } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
let rest: REST;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  scene = await openScene(server);
  rest = new REST({ api: `${server.origin}/api`, version: '10' }).setToken(scene.bot.bot.token);
});
afterAll(() => server.stop());

const send = (options: object) => rest.post(Routes.channelMessages(scene.channelId), options) as Promise<APIMessage>;

async function refusalOf(request: Promise<unknown>): Promise<DiscordAPIError> {
  const error = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DiscordAPIError);
  return error as DiscordAPIError;
}

describe('an unmodified @discordjs/rest', () => {
  test('sends, edits, reacts, lists and deletes', async () => {
    const sent = await send({ body: { content: 'one' } });
    const path = Routes.channelMessage(scene.channelId, sent.id);
    expect(await rest.patch(path, { body: { content: 'two' } })).toMatchObject({ id: sent.id, content: 'two' });
    await rest.put(Routes.channelMessageOwnReaction(scene.channelId, sent.id, encodeURIComponent('🎉')));
    expect(await rest.get(path)).toMatchObject({ reactions: [{ emoji: { name: '🎉' }, count: 1, me: true }] });
    const query = new URLSearchParams({ limit: '1' });
    expect(await rest.get(Routes.channelMessages(scene.channelId), { query })).toMatchObject([{ id: sent.id }]);
    await rest.delete(path, { reason: 'no longer needed' });
    expect((await refusalOf(rest.get(path))).code).toBe(10008);
  });

  test('sends files together with a body, and reads them back', async () => {
    const { attachments } = await send({
      body: { content: 'files', attachments: [{ id: 0, description: 'first' }] },
      files: [
        { name: 'a.txt', data: 'hello' },
        { name: 'b.bin', data: Buffer.from([1, 2, 3]), contentType: 'application/octet-stream' },
      ],
    });
    expect(attachments).toMatchObject([
      { filename: 'a.txt', description: 'first' },
      { filename: 'b.bin', size: 3 },
    ]);
    expect(await (await fetch(attachments[0]?.url ?? '')).text()).toBe('hello');
  });

  test('reports the fault of each field', async () => {
    const error = await refusalOf(send({ body: { embeds: [{ title: 'x', fields: [{ name: 'n', value: '' }] }] } }));
    expect(error).toMatchObject({ code: 50035, status: 400 });
    expect(error.message).toContain('embeds[0].fields[0].value[BASE_TYPE_REQUIRED]: This field is required');
  });

  test('recognizes that its token is invalid', async () => {
    const dead = new REST({ api: `${server.origin}/api` }).setToken('not.a.token');
    expect(await refusalOf(dead.get(Routes.user('@me')))).toMatchObject({ code: 0, status: 401 });
  });
});
