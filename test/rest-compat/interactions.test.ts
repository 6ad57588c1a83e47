import { MessageFlags } from 'discord-api-types/v10';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { snowflakeTime } from '../../src/infra/ids/ids.js';
import { openScene, run, type Scene, sayWith, storeCommand } from '../domain/interactions/scene.js';
import { ManualClock } from '../harness/clock.js';
import {
  ANSWERS,
  type Asked,
  answer,
  ask,
  kindsOfSteps,
  press,
  put,
  ROW,
  rowOf,
  stepsOf,
} from '../harness/interactions.js';
import { formOf, RestBot, type RestRequest, ask as send } from '../harness/rest.js';
import { permitEveryone } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, createBot } from '../harness/world.js';

const clock = new ManualClock();
let server: TestServer;
let scene: Scene;
let own: RestBot;
let other: RestBot;
let asked: Asked;
beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
  await permitEveryone(server.app, scene.guild.id, (1n << 31n) - 1n);
  const stranger = await createBot(server.app);
  await addMember(server.app, scene.guild.id, stranger.user);
  own = new RestBot(server, scene.bot);
  other = new RestBot(server, stranger);
});
beforeEach(async () => {
  asked = await ask(scene, 'command');
});
afterAll(() => server.stop());

const EPHEMERAL = MessageFlags.Ephemeral;

const callback = (json: unknown, { id, token }: { id: bigint | string; token: string } = asked, query = '') =>
  send(server, 'POST', `/interactions/${id}/${token}/callback${query}`, { json });
const webhook = (method: string, path = '', request: RestRequest = {}, { token } = asked, id: unknown = scene.bot.id) =>
  send(server, method, `/webhooks/${id}/${token}${path}`, request);

describe('the callback route', () => {
  it('I-16: accepts only the token as its credential, and answers 204 without a body', async () => {
    expect(await callback(ANSWERS[4])).toMatchObject({ status: 204, body: null });
    const request = { json: ANSWERS[4], headers: { authorization: `Bot ${other.bot.token}` } };
    const again = await send(server, 'POST', `/interactions/${asked.id}/${asked.token}/callback`, request);
    expect(again).toMatchObject({ status: 400, body: { code: 40060 } });
  });

  it('I-16: returns the created message with with_response', async () => {
    const { status, body } = await callback(ANSWERS[4], asked, '?with_response=true');
    const { originalMessageId } = await rowOf(server, asked);
    const id = String(originalMessageId);
    expect(status).toBe(200);
    expect(body).toEqual({
      interaction: {
        id: String(asked.id),
        type: 2,
        response_message_id: id,
        response_message_loading: false,
        response_message_ephemeral: false,
      },
      resource: { type: 4, message: expect.objectContaining({ id, content: 'hello', type: 20, webhook_id: own.id }) },
    });
    expect(body.resource.message).toMatchObject({
      application_id: own.id,
      interaction_metadata: {
        id: String(asked.id),
        type: 2,
        user: { id: String(scene.guild.owner.id) },
        authorizing_integration_owners: { 0: String(scene.guild.id) },
      },
    });
  });

  it('I-16: returns a deferred response with with_response, without a message', async () => {
    const { body } = await callback({ type: 5, data: { flags: EPHEMERAL } }, asked, '?with_response=1');
    expect(body).toEqual({
      interaction: {
        id: String(asked.id),
        type: 2,
        response_message_id: expect.stringMatching(/^\d+$/),
        response_message_loading: true,
        response_message_ephemeral: true,
      },
      resource: { type: 5 },
    });
  });

  it('I-16: returns the updated message with with_response', async () => {
    const source = await sayWith(scene, ROW);
    const used = await put(scene, await press(scene, source));
    const { body } = await callback(ANSWERS[7], used, '?with_response=true');
    expect(body).toMatchObject({
      interaction: { type: 3, response_message_id: String(source.id) },
      resource: { type: 7, message: { id: String(source.id), content: 'changed' } },
    });
  });

  it.each([
    ['component', 6, { resource: { type: 6 } }],
    ['command', 9, {}],
    ['autocompletion', 8, {}],
  ] as const)('I-16: returns for a %s that type %s created no message', async (kind, type, more) => {
    const used = await ask(scene, kind);
    const { status, body } = await callback(ANSWERS[type], used, '?with_response=true');
    expect(status).toBe(200);
    expect(body).toEqual({ interaction: { id: String(used.id), type: expect.any(Number) }, ...more });
  });

  it('I-5: of twenty at once, one succeeds', async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await callback(ANSWERS[4])).status));
    expect(statuses.sort()).toEqual([204, ...Array.from({ length: 19 }, () => 400)]);
  });

  it('I-18: distinguishes unknown, foreign and expired interactions', async () => {
    const { token } = await ask(scene, 'command');
    const stranger = await callback(ANSWERS[4], { id: 5n, token });
    expect(stranger).toMatchObject({ status: 404, body: { code: 10062 } });
    expect(await callback(ANSWERS[4], { id: asked.id, token })).toMatchObject({ status: 401, body: { code: 50027 } });
    clock.advance(3_000);
    expect(await callback(ANSWERS[4])).toMatchObject({ status: 404, body: { code: 10062 } });
    expect((await rowOf(server, asked)).originalMessageId).toBeNull();
  });

  it.each([
    ['no type', {}, 'type'],
    ['a type that nothing takes', { type: 12 }, 'type'],
    ['a type that a command does not take', ANSWERS[8], 'type'],
    ['no data', { type: 4 }, 'data'],
    ['a text that is too long', { type: 4, data: { content: 'x'.repeat(4_001) } }, 'content'],
    ['an embed that is none', { type: 4, data: { embeds: [{ title: [] }] } }, 'embeds'],
    ['a modal without a title', { type: 9, data: { custom_id: 'x', components: [] } }, 'title'],
  ])('I-18, I-25: refuses %s, and shows the developers why', async (_what, body, path) => {
    const before = await rowOf(server, asked);
    const refused = await callback(body);
    expect(refused).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(JSON.stringify(refused.body.errors)).toContain(`"${path}"`);
    expect(await rowOf(server, asked)).toEqual(before);
    const [, step] = await stepsOf(server, asked);
    expect(step).toMatchObject({ kind: 'REFUSED', reason: expect.stringContaining(path) });
    expect((await callback(ANSWERS[4])).status).toBe(204);
  });

  it('I-18: reports faults of the message below `data`, and those of a follow-up at the top level', async () => {
    const body = { attachments: [{ id: 3 }] };
    const attachments = { 0: { id: { _errors: [expect.objectContaining({ code: expect.any(String) })] } } };
    expect((await callback({ type: 4, data: body })).body.errors).toEqual({ data: { attachments } });
    expect((await callback(ANSWERS[4])).status).toBe(204);
    expect((await webhook('POST', '', { json: body })).body.errors).toEqual({ attachments });
  });

  it('I-18: an empty message leaves the interaction answerable, and a message_reference is ignored', async () => {
    expect(await callback({ type: 4, data: {} })).toMatchObject({ status: 400, body: { code: 50006 } });
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'REFUSED']);
    const reference = { message_reference: { message_id: '5' }, content: 'x' };
    expect((await callback({ type: 4, data: reference })).status).toBe(204);
  });

  it('I-18: invalid JSON leaves the interaction answerable', async () => {
    const path = `/interactions/${asked.id}/${asked.token}/callback`;
    const headers = { 'content-type': 'application/json' };
    expect((await send(server, 'POST', path, { body: '{"type":', headers })).status).toBe(400);
    expect((await callback(ANSWERS[4])).status).toBe(204);
  });

  it('I-16: accepts files', async () => {
    const form = formOf(
      { type: 4, data: { content: 'see', attachments: [{ id: 0, description: 'a file' }] } },
      { name: 'files[0]', content: 'text', filename: 'a.txt', type: 'text/plain' },
    );
    const path = `/interactions/${asked.id}/${asked.token}/callback?with_response=true`;
    const { status, body } = await send(server, 'POST', path, { form });
    expect(status).toBe(200);
    expect(body.resource.message.attachments).toMatchObject([{ filename: 'a.txt', description: 'a file', size: 4 }]);
    const follow = formOf({ content: 'more' }, { name: 'files[0]', content: 'text', filename: 'b.txt' });
    expect((await webhook('POST', '', { form: follow })).body.attachments).toMatchObject([{ filename: 'b.txt' }]);
    const edit = formOf({ attachments: [] }, { name: 'files[0]', content: 'text', filename: 'c.txt' });
    const edited = await webhook('PATCH', '/messages/@original', { form: edit });
    expect(edited.body.attachments).toMatchObject([{ filename: 'c.txt' }]);
  });

  it('I-18: an attachment entry without its file leaves the interaction answerable', async () => {
    const path = `/interactions/${asked.id}/${asked.token}/callback`;
    const form = formOf(
      { type: 4, data: { attachments: [{ id: 3, description: 'a file' }] } },
      { name: 'files[0]', content: 'text', filename: 'a.txt' },
    );
    expect((await send(server, 'POST', path, { form })).status).toBe(400);
    expect((await rowOf(server, asked)).state).toBe('DELIVERED_GATEWAY');
    expect((await callback(ANSWERS[4])).status).toBe(204);
  });
});

describe('interaction tokens in paths', () => {
  it('I-18, I-21: are refused if they are invalid', { tags: ['slow'] }, async () => {
    await answer(scene, asked);
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.base64String({ minLength: 1 }),
      fc.string().map((random) => Buffer.from(`interaction:${asked.id}:${random}`).toString('base64url')),
      fc.constantFrom('a'.repeat(2_000), `${asked.token}x`, asked.token.slice(0, -1), '@original', '%', '..', '\u0000'),
    );
    const id = fc.constantFrom(String(asked.id), '5', '0', '99999999999999999999999', 'x', String(scene.bot.id));
    const paths = fc.tuple(id, text).map(([of, token]) => {
      const shown = encodeURIComponent(token.toWellFormed());
      return [
        `/interactions/${of}/${shown}/callback`,
        `/webhooks/${of}/${shown}`,
        `/webhooks/${of}/${shown}/messages/@original`,
      ];
    });
    await fc.assert(
      fc.asyncProperty(paths, async ([first = '', second = '', third = '']) => {
        const statuses = [
          (await send(server, 'POST', first, { json: ANSWERS[4] })).status,
          (await send(server, 'POST', second, { json: { content: 'x' } })).status,
          (await send(server, 'GET', third)).status,
        ];
        for (const status of statuses) expect([400, 401, 404, 405, 414]).toContain(status);
      }),
      { numRuns: 60 },
    );
    expect((await rowOf(server, asked)).followUps).toBe(0);
  });

  it.each(['POST', 'GET', 'PATCH', 'DELETE'])('I-21: are refused for another application with %s', async (method) => {
    await answer(scene, asked);
    const path = method === 'POST' ? '' : '/messages/@original';
    const json = method === 'POST' || method === 'PATCH' ? { json: { content: 'x' } } : {};
    const headers = { authorization: `Bot ${other.bot.token}` };
    expect(await webhook(method, path, { ...json, headers }, asked, other.id)).toMatchObject({
      status: 401,
      body: { code: 50027 },
    });
  });

  it('I-7: expire after 15 minutes', async () => {
    await answer(scene, asked);
    clock.advance(snowflakeTime(asked.id) + 15 * 60_000 - clock.now());
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { json: { content: 'x' } } : {};
      const { status, body } = await webhook(method, '/messages/@original', json);
      expect([status, body.code]).toEqual([401, 50027]);
    }
    expect((await webhook('POST', '', { json: { content: 'x' } })).status).toBe(401);
  });
});

describe('a follow-up or original response', () => {
  it('I-21: is unknown before the first response', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['GET', '/messages/@original'],
      ['PATCH', '/messages/@original'],
      ['DELETE', '/messages/@original'],
    ] as const) {
      const json = method === 'POST' || method === 'PATCH' ? { json: { content: 'x' } } : {};
      expect(await webhook(method, path, json)).toMatchObject({ status: 404, body: { code: 10015 } });
    }
  });

  it.each(['@original', '%40original'])('I-21: is reachable at %s', async (key) => {
    await answer(scene, asked);
    expect((await webhook('GET', `/messages/${key}`)).body).toMatchObject({ content: 'hello', author: { id: own.id } });
    const json = { content: 'better' };
    expect((await webhook('PATCH', `/messages/${key}`, { json })).body).toMatchObject({ content: 'better' });
    expect(await webhook('DELETE', `/messages/${key}`)).toMatchObject({ status: 204 });
    expect(await webhook('GET', `/messages/${key}`)).toMatchObject({ status: 404, body: { code: 10008 } });
  });

  it('I-19: a deferred response that the bot deleted is unknown, and a follow-up is a message of its own', async () => {
    await answer(scene, asked, ANSWERS[5]);
    const { originalMessageId: id } = await rowOf(server, asked);
    expect((await own.delete(`/channels/${scene.guild.channel.id}/messages/${id}`)).status).toBe(204);
    const edited = await webhook('PATCH', '/messages/@original', { json: { content: 'x' } });
    expect(edited).toMatchObject({ status: 404, body: { code: 10008 } });
    const followed = await webhook('POST', '', { json: { content: 'more' } });
    expect(followed).toMatchObject({ status: 200, body: { content: 'more', type: 0 } });
    expect(followed.body.id).not.toBe(String(id));
  });

  it('I-20, I-21: a follow-up is returned as a message and is reachable by its id', async () => {
    await answer(scene, asked);
    const { status, body } = await webhook('POST', '?wait=true', { json: { content: 'more', flags: EPHEMERAL } });
    const { originalMessageId } = await rowOf(server, asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 19,
      flags: EPHEMERAL,
      webhook_id: own.id,
      message_reference: { message_id: String(originalMessageId) },
      interaction_metadata: { id: String(asked.id), original_response_message_id: String(originalMessageId) },
    });
    expect((await webhook('GET', `/messages/${body.id}`)).body).toMatchObject({ id: body.id, content: 'more' });
    expect((await webhook('DELETE', `/messages/${body.id}`)).status).toBe(204);
  });

  it('I-21: does not include other messages', async () => {
    await answer(scene, asked);
    const { id } = await sayWith(scene, ROW);
    for (const key of [id, '5']) {
      expect(await webhook('GET', `/messages/${key}`)).toMatchObject({ status: 404, body: { code: 10008 } });
      expect((await webhook('DELETE', `/messages/${key}`)).status).toBe(404);
    }
    expect((await webhook('GET', '/messages/@other')).status).toBe(400);
    expect(await own.get(`/channels/${scene.guild.channel.id}/messages/${id}`)).toMatchObject({ status: 200 });
  });

  it('I-22: is refused after five if only the user has installed the application', async () => {
    const used = await put(scene, { ...(await run(scene, await storeCommand(scene))), owners: { userId: 1n } });
    await answer(scene, used);
    const follow = () => webhook('POST', '', { json: { content: 'x' } }, used);
    for (let n = 0; n < 5; n += 1) expect((await follow()).status).toBe(200);
    expect((await follow()).body).toMatchObject({ code: 40094 });
  });
});

describe('an ephemeral response', () => {
  it("I-23: is in no bot's message list and unreachable by id, even for its own bot", async () => {
    await answer(scene, asked, { type: 4, data: { content: 'psst', flags: EPHEMERAL } });
    const { originalMessageId: id } = await rowOf(server, asked);
    const messages = `/channels/${scene.guild.channel.id}/messages`;
    for (const bot of [own, other]) {
      const { body } = await bot.get(messages);
      expect(body.length).toBeGreaterThan(0);
      expect(body.map((message: { id: string }) => message.id)).not.toContain(String(id));
      expect(await bot.get(`${messages}/${id}`)).toMatchObject({ status: 404, body: { code: 10008 } });
      expect(await bot.patch(`${messages}/${id}`, { content: 'x' })).toMatchObject({ status: 404 });
      expect(await bot.delete(`${messages}/${id}`)).toMatchObject({ status: 404 });
      expect(await bot.put(`${messages}/${id}/reactions/%F0%9F%91%8D/@me`)).toMatchObject({ status: 404 });
    }
    expect((await webhook('GET', '/messages/@original')).body).toMatchObject({ id: String(id), content: 'psst' });
  });
});

it('I-7: the database does not contain the token', async () => {
  await answer(scene, asked);
  await webhook('POST', '', { json: {} });
  const rows = JSON.stringify([await rowOf(server, asked), await stepsOf(server, asked)], (_key, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  expect(rows).not.toContain(asked.token);
});

it('I-26: a bot cannot read an interaction, not even its own', async () => {
  for (const path of [`/interactions/${asked.id}`, `/interactions/${asked.id}/${asked.token}`]) {
    expect((await own.get(path)).status).toBe(404);
  }
});
