import { expect } from 'vitest';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import { addMember } from '../harness/world.js';

/** Ids are unsigned 64-bit numbers. Exporters page from the greatest one. */
const GREATEST = [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n].map(String);

let scene: Scene;
let messageId: string;

test.beforeAll(async ({ server }) => {
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS);
  messageId = (await scene.send()).id;
  await scene.send();
  await scene.bot.put(`${scene.messages}/${messageId}/reactions/🎉/@me`);
  const banned = await createPerson(server.app);
  await addMember(server.app, scene.guild.id, banned);
  await scene.bot.ask('PUT', `/guilds/${scene.guildId}/bans/${banned.id}`);
});

const idsOf = (body: Loose): string[] =>
  (body.audit_log_entries ?? body).map(({ id, user }: Loose) => id ?? user.id).toSorted();

const LISTS: [name: string, path: () => string, ...params: string[]][] = [
  ['messages', () => scene.messages, 'before', 'after', 'around'],
  ['the audit log', () => `/guilds/${scene.guildId}/audit-logs`, 'before', 'after'],
  ['bans', () => `/guilds/${scene.guildId}/bans`, 'before', 'after'],
  ["the bot's servers", () => '/users/@me/guilds', 'before', 'after'],
  ['members', () => `/guilds/${scene.guildId}/members?limit=10`, 'after'],
  ['reactions', () => `${scene.messages}/${messageId}/reactions/🎉`, 'after'],
];

test.for(LISTS)('%s: `before` the greatest id lists all, and `after` it lists none', async ([, pathOf, ...params]) => {
  const path = pathOf();
  const all = idsOf((await scene.bot.get(path)).body);
  expect(all).not.toEqual([]);
  for (const param of params) {
    for (const id of GREATEST) {
      const { body } = await scene.bot.get(`${path}${path.includes('?') ? '&' : '?'}${param}=${id}`);
      expect([param, id, idsOf(body)]).toEqual([param, id, param === 'after' ? [] : all]);
    }
  }
});

test('the greatest id is unknown', async () => {
  for (const id of GREATEST) {
    expect(await scene.bot.get(`/channels/${id}`)).toMatchObject({ status: 404, body: { code: 10003 } });
    expect(await scene.bot.get(`${scene.messages}/${id}`)).toMatchObject({ status: 404, body: { code: 10008 } });
    const roles = { roles: [id] };
    const refused = await scene.bot.patch(`/guilds/${scene.guildId}/members/${scene.other.id}`, roles);
    expect(refused).toMatchObject({ status: 404, body: { code: 10011 } });
  }
});

test('an id sent as a JSON number keeps its digits', async () => {
  const send = (reference: string) =>
    scene.bot.ask('POST', scene.messages, {
      body: `{"content": "reply", "message_reference": {"message_id": ${reference}}}`,
      headers: { 'content-type': 'application/json' },
    });
  expect(await send(messageId)).toMatchObject({ status: 200, body: { message_reference: { message_id: messageId } } });
  expect(await send(`${messageId}.5`)).toMatchObject({ status: 400, body: { code: 50035 } });
  expect(await send('18446744073709551615')).toMatchObject({ status: 400, body: { code: 50035 } });
});

test('a message accepts whole numbers as text, and text as whole numbers', async () => {
  const embed = { title: 5, color: '16711680', fields: [{ name: 1, value: 9_007_199_254_740_991, inline: 'true' }] };
  expect(await scene.bot.post(scene.messages, { content: 42, flags: '4096', embeds: [embed] })).toMatchObject({
    status: 200,
    body: {
      content: '42',
      flags: 4096,
      embeds: [{ title: '5', color: 0xff_00_00, fields: [{ name: '1', value: '9007199254740991', inline: true }] }],
    },
  });
  for (const color of ['1.5', 1.5, '0xff', 'red', '', '1e3']) {
    const refused = await scene.bot.post(scene.messages, { embeds: [{ title: 'x', color }] });
    expect(refused).toMatchObject({ status: 400, body: { errors: { embeds: { 0: { color: expect.anything() } } } } });
  }
});

test("a command's changes accept whole numbers as text, and text as whole numbers", async () => {
  const path = `/applications/${scene.bot.id}/commands`;
  const { body } = await scene.bot.post(path, { type: '1', name: 12, description: 5 });
  expect(body).toMatchObject({ type: 1, name: '12', description: '5' });
  const options = [{ type: '4', name: 1, description: 2, min_value: '3' }];
  expect(await scene.bot.patch(`${path}/${body.id}`, { options, dm_permission: 'false' })).toMatchObject({
    status: 200,
    body: { options: [{ type: 4, name: '1', description: '2', min_value: 3 }], dm_permission: false },
  });
  expect(await scene.bot.ask('PUT', path, { json: [{ name: 13, description: 6, options }] })).toMatchObject({
    status: 200,
    body: [{ name: '13', options: [{ type: 4 }] }],
  });
});
