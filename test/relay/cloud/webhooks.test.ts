import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createDirectory } from '../../../src/relay/cloud/forwarding/directory.js';
import { credentialSchemes } from '../../../src/rest-compat/credentials.js';
import { Interpreter } from '../../../src/rest-compat/interpreter.js';
import { routes } from '../../../src/rest-compat/table.js';
import { answerOf, type BoxScene, openBox } from '../../harness/box-guild.js';
import { openContext } from '../../harness/context.js';
import { putWebhook } from '../../harness/rows.js';

describe.each(['forward', 'not_found'] as const)('webhooks of a self-hosted server: %s', (setting) => {
  const works = setting === 'forward';
  let app: AppContext;
  let close: () => Promise<void>;
  let scene: BoxScene;
  let interpreter: Interpreter;
  let id: bigint;
  let token: string;
  beforeAll(async () => {
    ({ app, close } = await openContext({ SELF_HOSTED_WEBHOOKS: setting }));
    scene = await openBox(app);
    const [owner] = scene.guild.members;
    if (owner) scene.guild.snapshot.guild.ownerId = scene.bot.user.id;
    const schemes = credentialSchemes(app, async () => ({ kind: 'anonymous' }));
    interpreter = new Interpreter(app, { rows: routes, schemes, directory: createDirectory(app, scene.box) });
  });
  afterAll(() => close());
  beforeEach(async () => {
    scene.box.arrived.length = 0;
    const made = await putWebhook(app, scene);
    id = made.webhook.id;
    token = made.token;
  });

  const ask = (method: string, path: string, value?: unknown) =>
    interpreter.answer({
      id: 'r-1',
      method,
      path: `/api/v10${path}`,
      query: {},
      address: '192.0.2.1',
      headers: { authorization: `Bot ${scene.bot.token}`, ...(value ? { 'content-type': 'application/json' } : {}) },
      body: Buffer.from(value ? JSON.stringify(value) : ''),
    });
  const statusOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).status;

  test('are executed by the box, which never sees the token (R-28)', async () => {
    scene.box.answer = () => answerOf(200, { content: 'x' });
    const answer = await ask('POST', `/webhooks/${id}/${token}`, { content: 'x' });
    expect(answer.status).toBe(works ? 200 : 404);
    if (!works) return expect(scene.box.arrived).toEqual([]);
    expect(scene.box.last).toMatchObject({
      method: 'POST',
      path: `/webhooks/${id}/-`,
      webhook: { id: String(id), channel_id: String(scene.guild.channel.id) },
      guildId: scene.guild.id,
      bot: { application_id: String(scene.bot.id) },
    });
    return expect(JSON.stringify({ ...scene.box.last, guildId: null })).not.toContain(token);
  });

  test('give the box a time budget without the time for the token check', async () => {
    scene.box.answer = () => answerOf(200, { content: 'x' });
    const post = () => statusOf('POST', `/webhooks/${id}/${token}`, { content: 'x' });
    const statuses = await Promise.all(Array.from({ length: 30 }, post));
    expect(statuses).toEqual(Array(30).fill(works ? 200 : 404));
    if (!works) return;
    const budgets = scene.box.arrived.map(({ budgetMs }) => budgetMs);
    expect(Math.max(...budgets)).toBeLessThanOrEqual(12_000);
    expect(Math.min(...budgets)).toBeLessThan(11_980);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('have messages there: %s', async (method) => {
    const path = `/webhooks/${id}/${token}/messages/5`;
    expect(await statusOf(method, path, method === 'PATCH' ? { content: 'y' } : undefined)).toBe(works ? 200 : 404);
    expect(scene.box.arrived.map((one) => one.path)).toEqual(works ? [`/webhooks/${id}/-/messages/5`] : []);
  });

  test('are managed in the cloud', async () => {
    const channel = `/channels/${scene.guild.channel.id}/webhooks`;
    const statuses = [
      await statusOf('GET', channel),
      await statusOf('POST', channel, { name: 'new' }),
      await statusOf('GET', `/guilds/${scene.guild.id}/webhooks`),
      await statusOf('GET', `/webhooks/${id}`),
      await statusOf('PATCH', `/webhooks/${id}`, { name: 'other' }),
      await statusOf('GET', `/webhooks/${id}/${token}`),
      await statusOf('PATCH', `/webhooks/${id}/${token}`, { name: 'another' }),
      await statusOf('DELETE', `/webhooks/${id}/${token}`),
    ];
    expect(statuses).toEqual(works ? [200, 200, 200, 200, 200, 200, 200, 204] : statuses.map(() => 404));
    expect(scene.box.arrived).toEqual([]);
  });

  test('cannot be used once their channel is deleted, and are 10015 once they are deleted', async () => {
    const gone = await putWebhook(app, scene, { channelId: scene.guild.channel.id + 1n });
    const post = async (webhookId: bigint, secret: string) => {
      const { status, body } = await ask('POST', `/webhooks/${webhookId}/${secret}`, { content: 'x' });
      return [status, JSON.parse(body ?? 'null').code];
    };
    expect(await post(gone.webhook.id, gone.token)).toEqual([404, works ? 10003 : 0]);
    await ask('DELETE', `/webhooks/${id}/${token}`);
    if (works) expect(await post(id, token)).toEqual([404, 10015]);
    expect(scene.box.arrived).toEqual([]);
  });
});
