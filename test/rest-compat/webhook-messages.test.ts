import { MessageFlags } from 'discord-api-types/v10';
import { beforeEach, describe, expect } from 'vitest';
import { componentRequest } from '../../src/domain/interactions/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import { whisper } from '../harness/answers.js';
import { test } from '../harness/fixtures.js';
import { PIXEL } from '../harness/images.js';
import { putAnswered } from '../harness/interaction-rows.js';
import { ask, formOf, openScene, type Scene } from '../harness/rest.js';
import { createPerson, putSlowMode } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { openWebhook, type RestWebhook } from '../harness/webhooks.js';
import { addMember, callOf, ONE_BUTTON, say } from '../harness/world.js';

const TALKING = Permission.ViewChannel | Permission.ReadMessageHistory | Permission.SendMessages;

let server: TestServer;
let scene: Scene;
let hook: RestWebhook;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(TALKING);
  hook = await openWebhook(scene);
});

const owner = () => callOf(server.app, scene.guild.owner);
const file = (n: number, content: BlobPart = `file ${n}`, filename = `${n}.txt`) => ({
  name: `files[${n}]`,
  content,
  filename,
});
const UNKNOWN_MESSAGE = { status: 404, body: { code: 10008 } };
const faultAt = (field: string) => ({ status: 400, body: { code: 50035, errors: { [field]: expect.anything() } } });
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

describe('execution', () => {
  test("returns the resolved message, with the name and avatar of the application's bot user", async () => {
    const overrides = { username: 'Somebody', avatar_url: 'https://a.example/a.png', avatar: 'x' };
    const { status, body } = await hook.post({ content: ' hello ', ...overrides, embeds: [{ title: 'A title' }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      channel_id: scene.channelId,
      content: 'hello',
      embeds: [{ title: 'A title', type: 'rich' }],
      attachments: [],
      timestamp: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      type: 0,
      webhook_id: hook.id,
      application_id: scene.bot.id,
    });
    expect(body.author).toMatchObject({ id: scene.bot.id, username: scene.bot.bot.user.username, bot: true });
    for (const absent of ['interaction_metadata', 'nonce', 'member', 'guild_id'])
      expect(body).not.toHaveProperty(absent);
    expect((await hook.get(`/messages/${body.id}`)).body).toEqual(body);
    expect((await scene.other.get(`${scene.messages}/${body.id}`)).body).toEqual(body);
  });

  test('always behaves as with wait=true', async () => {
    for (const query of [
      '?wait=true',
      '?wait=false',
      '?wait=',
      '?wait=nonsense',
      '?wait=1&wait=0',
      '?with_components=1',
    ]) {
      const sent = await hook.post({ content: 'hello' }, query);
      expect(sent, query).toMatchObject({ status: 200, body: { content: 'hello' } });
    }
  });

  test('refuses threads', async () => {
    const before = await server.app.db.reader.message.count();
    for (const query of ['?thread_id=5', `?thread_id=${scene.channelId}`, '?thread_id=x']) {
      expect(await hook.post({ content: 'x' }, query), query).toMatchObject(faultAt('thread_id'));
    }
    expect(await hook.post({ content: 'x', thread_name: 'a thread' })).toMatchObject(faultAt('thread_name'));
    expect(await hook.post({ content: 'x', applied_tags: ['5'] })).toMatchObject(faultAt('applied_tags'));
    expect(await hook.post({ content: 'x', poll: { question: { text: 'why' } } })).toMatchObject(faultAt('poll'));
    expect(await server.app.db.reader.message.count()).toBe(before);
    expect((await hook.post({ content: 'x', thread_name: null, applied_tags: [], poll: null })).status).toBe(200);
  });

  test('accepts only embeds, only files, and ten of either, but not eleven', async () => {
    const embeds = Array.from({ length: 10 }, (_, n) => ({ title: `Title ${n}` }));
    expect((await hook.post({ embeds })).body).toMatchObject({ content: '', embeds });
    expect(await hook.post({ embeds: [...embeds, { title: 'eleventh' }] })).toMatchObject(faultAt('embeds'));
    const files = Array.from({ length: 11 }, (_, n) => file(n));
    const ten = await hook.ask('POST', '', { form: formOf(undefined, ...files.slice(0, 10)) });
    expect(ten.status).toBe(200);
    expect(ten.body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(
      files.slice(0, 10).map(({ filename }) => filename),
    );
    for (const [n, { url }] of ten.body.attachments.entries()) {
      expect(await (await fetch(url)).text()).toBe(`file ${n}`);
    }
    const eleven = await hook.ask('POST', '', { form: formOf({}, ...files) });
    expect(eleven).toMatchObject({ status: 400, body: { code: 30015 } });
  });

  test('multipart: accepts payload_json, file descriptions, and files shown in embeds', async () => {
    const payload = {
      content: 'a picture',
      embeds: [{ image: { url: 'attachment://a.png' } }],
      attachments: [{ id: '0', description: 'A pixel' }],
    };
    const form = formOf(payload, { ...file(0, PIXEL, 'a.png'), type: 'image/png' });
    const { status, body } = await hook.ask('POST', '?wait=true', { form });
    expect(status).toBe(200);
    const [attachment] = body.attachments;
    expect(attachment).toMatchObject({ filename: 'a.png', description: 'A pixel', content_type: 'image/png' });
    expect(body.embeds[0].image.url).toBe(attachment.url);
    const plain = new FormData();
    plain.append('content', 'plain');
    plain.append('username', 'Somebody');
    plain.append('file', new Blob(['x']), 'x.txt');
    const sent = await hook.ask('POST', '', { form: plain });
    expect(sent).toMatchObject({ status: 200, body: { content: 'plain', author: { id: scene.bot.id } } });
    expect(sent.body.attachments).toHaveLength(1);
    const bad = await hook.ask('POST', '', { form: formOf({ content: 5.5 }, file(0)) });
    expect(bad).toMatchObject(faultAt('content'));
  });

  test('message_reference: replies to a message of the channel', async () => {
    const { id } = await say(server.app, scene.guild, scene.guild.owner, 'a question');
    const reply = async (reference: object) => hook.post({ content: 'a reply', message_reference: reference });
    const { status, body } = await reply({ message_id: String(id) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 19,
      message_reference: { message_id: String(id), channel_id: scene.channelId },
      referenced_message: { id: String(id), content: '' },
      mentions: [{ id: String(scene.guild.owner.id) }],
    });
    expect((await reply({ message_id: body.id })).body.referenced_message.webhook_id).toBe(hook.id);
    const other = await openScene(server);
    const { user } = scene.bot.bot;
    const secret = await whisper(server.app, { id: user.id, user }, scene.guild.channel.id, scene.guild.owner.id);
    for (const [what, messageId] of [
      ['missing', '1'],
      ["another channel's", (await other.send()).id],
      ['ephemeral', String(secret.id)],
    ] as const) {
      const strict = faultAt('message_reference');
      expect(await reply({ message_id: messageId }), what).toMatchObject(strict);
      expect(await reply({ message_id: messageId, fail_if_not_exists: true }), what).toMatchObject(strict);
      const alone = await reply({ message_id: messageId, fail_if_not_exists: false });
      expect(alone, what).toMatchObject({ status: 200, body: { type: 0, content: 'a reply' } });
      expect(alone.body, what).not.toHaveProperty('message_reference');
    }
    expect(await reply({ type: 1, message_id: String(id) })).toMatchObject(faultAt('message_reference'));
    const { body: own } = await reply({ message_id: String(id) });
    expect((await hook.get(`/messages/${own.id}`)).body.referenced_message).toMatchObject({ content: '' });
    const { body: toOwn } = await reply({ message_id: own.id });
    expect(toOwn.referenced_message).toMatchObject({ id: own.id, content: 'a reply' });
  });

  test('allowed_mentions: limits mentions, which have defaults without it', async () => {
    const { app } = server;
    const [member, outsider] = [await createPerson(app), await createPerson(app)];
    await addMember(app, scene.guild.id, member);
    const role = await createRole(owner(), scene.guild.id, { name: 'Helpers', permissions: 0n, mentionable: true });
    const closed = await createRole(owner(), scene.guild.id, { name: 'Closed', permissions: 0n });
    const content = `<@${member.id}> <@${outsider.id}> <@&${role.id}> <@&${closed.id}> @everyone`;
    const mentioned = async (allowed?: object) => {
      const { body } = await hook.post({ content, ...(allowed ? { allowed_mentions: allowed } : {}) });
      return [idsOf(body.mentions), body.mention_roles, body.mention_everyone];
    };
    const [ofMember, ofRole] = [[String(member.id)], [String(role.id)]];
    expect(await mentioned()).toEqual([ofMember, ofRole, false]);
    expect(await mentioned({ parse: [] })).toEqual([[], [], false]);
    expect(await mentioned({ parse: ['users'] })).toEqual([ofMember, [], false]);
    expect(await mentioned({ parse: [], roles: ofRole })).toEqual([[], ofRole, false]);
    expect(await hook.post({ content, allowed_mentions: { parse: ['users'], users: ofMember } })).toMatchObject(
      faultAt('allowed_mentions'),
    );
    await scene.permit(TALKING | Permission.MentionEveryone);
    const all = [...ofRole, String(closed.id)].toSorted();
    const [users, roles, everyone] = await mentioned();
    expect([users, roles.toSorted(), everyone]).toEqual([ofMember, all, true]);
    expect(await mentioned({ parse: ['users'] })).toEqual([ofMember, [], false]);
    const ofStranger = await openWebhook(scene, {}, scene.stranger);
    expect((await ofStranger.post({ content: '@here' })).body.mention_everyone).toBe(true);
    await scene.permit(TALKING);
    expect((await ofStranger.post({ content: '@here' })).body.mention_everyone).toBe(false);
  });

  test('flags: keeps those that a webhook may set, and ignores the rest', async () => {
    const { Crossposted, Ephemeral, Loading, SuppressEmbeds, SuppressNotifications } = MessageFlags;
    for (const [flags, kept] of [
      [SuppressEmbeds, SuppressEmbeds],
      [SuppressNotifications, SuppressNotifications],
      [Ephemeral, 0],
      [Loading, 0],
      [Crossposted | SuppressEmbeds, SuppressEmbeds],
    ] as const) {
      const { status, body } = await hook.post({ content: 'hello', flags });
      expect({ flags, status, kept: body.flags }).toEqual({ flags, status: 200, kept });
      expect((await scene.other.get(`${scene.messages}/${body.id}`)).body.flags).toBe(kept);
    }
    expect(await hook.post({ flags: Loading })).toMatchObject({ status: 400, body: { code: 50006 } });
  });

  test('ignores nonce and keeps tts', async () => {
    const sent = { content: 'hello', nonce: 'once', enforce_nonce: true, tts: true };
    const [first, second] = [await hook.post(sent), await hook.post(sent)];
    expect(first.body.id).not.toBe(second.body.id);
    expect(first.body).toMatchObject({ tts: true });
    expect(first.body).not.toHaveProperty('nonce');
  });

  test('components: a button press reaches the application', async () => {
    const { status, body } = await hook.post({ content: 'choose', components: ONE_BUTTON });
    expect(status).toBe(200);
    expect(body.components).toMatchObject([{ type: 1, components: [{ type: 2, custom_id: 'press' }] }]);
    const key = { channelId: scene.guild.channel.id, messageId: BigInt(body.id), customId: 'press' };
    const request = await componentRequest(owner(), key);
    expect(request).toMatchObject({ name: 'press', application: { id: scene.bot.bot.id } });
    expect((await hook.patch(`/messages/${body.id}`, { components: [] })).body.components).toEqual([]);
  });

  test('components v2: a layout replaces the text, cannot be reverted, and excludes text', async () => {
    const flags = MessageFlags.IsComponentsV2;
    const components = [{ type: 10, content: 'a text' }];
    const { status, body } = await hook.post({ flags, components });
    expect({ status, flags: body.flags }).toEqual({ status: 200, flags });
    expect((await hook.post({ flags, components, content: 'beside' })).status).toBe(400);
    expect((await hook.post({ components })).status).toBe(400);
    const edited = await hook.patch(`/messages/${body.id}`, { components: [{ type: 10, content: 'another' }] });
    expect(edited).toMatchObject({ status: 200, body: { flags, components: [{ content: 'another' }] } });
    expect(await hook.patch(`/messages/${body.id}`, { flags: 0 })).toMatchObject(faultAt('flags'));
    const { id } = (await hook.post({ content: 'a text' })).body;
    const made = await hook.patch(`/messages/${id}`, { content: null, flags, components });
    expect(made).toMatchObject({ status: 200, body: { content: '', flags } });
  });

  test('needs no permission or membership of the bot, and ignores slow mode', async () => {
    await putSlowMode(server.app, scene.guild.channel.id, 3_600);
    await scene.permit(0n);
    const everything = { content: 'hello', embeds: [{ title: 'A title' }] };
    const ofStranger = await openWebhook(scene, {}, scene.stranger);
    for (const webhook of [hook, hook, ofStranger, ofStranger]) {
      const { status, body } = await webhook.ask('POST', '', { form: formOf(everything, file(0)) });
      expect({ status, attachments: body.attachments?.length }).toEqual({ status: 200, attachments: 1 });
      expect((await webhook.patch(`/messages/${body.id}`, { content: 'edited' })).body.content).toBe('edited');
      expect((await webhook.delete(`/messages/${body.id}`)).status).toBe(204);
    }
    expect((await scene.bot.post(scene.messages, { content: 'no' })).status).toBe(403);
  });
});

describe('editing and deleting a message mirrors the reference platform', () => {
  test('attachments: keeps, drops and adds them, as v10 does', async () => {
    const made = await hook.ask('POST', '', { form: formOf({ content: 'two' }, file(0), file(1)) });
    const path = `/messages/${made.body.id}`;
    const [zero, one] = made.body.attachments;
    const names = (body: { attachments: { filename: string }[] }) => body.attachments.map(({ filename }) => filename);
    const said = await hook.patch(path, { content: 'still two' });
    expect([names(said.body), said.body.attachments]).toEqual([
      ['0.txt', '1.txt'],
      [zero, one],
    ]);
    const added = await hook.ask('PATCH', path, { form: formOf({}, file(0, 'more', '2.txt')) });
    expect(names(added.body), 'omitted: kept and appended').toEqual(['0.txt', '1.txt', '2.txt']);
    const chosen = { attachments: [{ id: one.id }, { id: '0', description: 'Another' }] };
    const { body } = await hook.ask('PATCH', path, { form: formOf(chosen, file(0, 'other', '3.txt')) });
    expect(names(body), 'all to keep, old and new').toEqual(['1.txt', '3.txt']);
    expect(body.attachments[1].description).toBe('Another');
    expect((await fetch(zero.url)).status).toBe(404);
    expect(await hook.patch(path, { attachments: [{ id: zero.id }] })).toMatchObject(faultAt('attachments'));
    expect((await hook.patch(path, { attachments: [] })).body).toMatchObject({ content: 'still two', attachments: [] });
  });

  test('all fields are optional and nullable; null content clears it', async () => {
    const { body: made } = await hook.post({ content: 'hello', embeds: [{ title: 'A title' }] });
    const path = `/messages/${made.id}`;
    const cleared = await hook.patch(path, { content: null });
    expect(cleared).toMatchObject({ status: 200, body: { content: '', embeds: [{ title: 'A title' }] } });
    expect(cleared.body.edited_timestamp).toMatch(/\+00:00$/);
    expect(cleared.body).toMatchObject({
      webhook_id: hook.id,
      author: { id: scene.bot.id },
      timestamp: made.timestamp,
    });
    expect((await hook.patch(path, { content: 'again', embeds: null })).body).toMatchObject({ embeds: [] });
    const nothing = { content: undefined, embeds: undefined, flags: null, allowed_mentions: null };
    expect((await hook.patch(path, nothing)).body).toMatchObject({ content: 'again', embeds: [] });
    expect((await hook.patch(path, { username: 'Somebody', tts: true })).body.author.id).toBe(scene.bot.id);
    expect((await hook.patch(path, { flags: MessageFlags.SuppressEmbeds })).body.flags).toBe(4);
  });

  test('without allowed_mentions it uses defaults, not those of the first request (W-W6)', async () => {
    const mention = `<@${scene.guild.owner.id}>`;
    const { body } = await hook.post({ content: mention, allowed_mentions: { parse: [] } });
    expect(body.mentions).toEqual([]);
    const path = `/messages/${body.id}`;
    expect((await hook.patch(path, { embeds: [{ title: 'A title' }] })).body.mentions).toEqual([]);
    expect(idsOf((await hook.patch(path, { content: `${mention}!` })).body.mentions)).toEqual([
      String(scene.guild.owner.id),
    ]);
    const silent = await hook.patch(path, { content: mention, allowed_mentions: { parse: [] } });
    expect(silent.body.mentions).toEqual([]);
  });

  test('is limited to messages of the webhook itself', async () => {
    const { app } = server;
    const another = await openWebhook(scene);
    const at = { bot: scene.bot.bot, guild: scene.guild };
    const { messageId: answered, token } = await putAnswered(app, at);
    const others = {
      "somebody's": String((await say(app, scene.guild, scene.guild.owner, 'mine')).id),
      "the bot's own": (await scene.send()).id,
      "another webhook's": (await another.post({ content: 'mine' })).body.id,
      "an answered interaction's": String(answered),
      'for one person': String((await whisper(app, scene.bot.bot, scene.guild.channel.id, scene.guild.owner.id)).id),
      unknown: '1',
      '@original': '@original',
      'encoded @original': '%40original',
    };
    for (const [what, id] of Object.entries(others)) {
      const path = `/messages/${id}`;
      for (const answer of [
        await hook.get(path),
        await hook.patch(path, { content: 'mine now' }),
        await hook.ask('PATCH', path, { form: formOf({}, file(0)) }),
        await hook.delete(path),
      ]) {
        expect(answer, what).toMatchObject(UNKNOWN_MESSAGE);
      }
    }
    const { id } = (await hook.post({ content: 'own' })).body;
    const withInteraction = `/webhooks/${scene.bot.id}/${token}/messages/${id}`;
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const request = method === 'PATCH' ? { json: { content: 'mine now' } } : {};
      expect(await ask(server, method, withInteraction, request), method).toMatchObject(UNKNOWN_MESSAGE);
    }
    expect((await hook.get(`/messages/${id}`)).body.content).toBe('own');
    expect((await hook.get('/messages/x')).status).toBe(400);
  });

  test('delete: removes the message and its files for good, once', async () => {
    const { body } = await hook.ask('POST', '', { form: formOf({}, file(0)) });
    const path = `/messages/${body.id}`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => hook.delete(path)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404]);
    expect(await hook.get(path)).toMatchObject(UNKNOWN_MESSAGE);
    expect(await hook.patch(path, { content: 'late' })).toMatchObject(UNKNOWN_MESSAGE);
    expect((await fetch(body.attachments[0].url)).status).toBe(404);
  });
});

describe('the webhook itself, with its token', () => {
  test('get: returns the webhook with its token and without its user (W-W2)', async () => {
    const { status, headers, body } = await hook.get();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      id: hook.id,
      type: 1,
      application_id: scene.bot.id,
      guild_id: scene.guildId,
      channel_id: scene.channelId,
      name: 'hook',
      avatar: null,
      token: hook.token,
    });
  });

  test('modify: ignores channel_id and every field other than the name (W-W2)', async () => {
    const { body: before } = await hook.get();
    const answer = await hook.patch('', { name: ' Crier ', channel_id: '1', avatar: 'none', guild_id: 'x' });
    expect(answer).toMatchObject({ status: 200, body: { ...before, name: 'Crier' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await hook.patch('', { name: '' })).toMatchObject(faultAt('name'));
    expect((await hook.get()).body).toEqual({ ...before, name: 'Crier' });
  });

  test('delete: invalidates its token at once', async () => {
    const { id } = (await hook.post({ content: 'stays' })).body;
    expect((await hook.delete()).status).toBe(204);
    for (const answer of [await hook.delete(), await hook.get(), await hook.post({ content: 'late' })]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 10015 } });
    }
    expect((await scene.bot.get(`${scene.messages}/${id}`)).body).toMatchObject({ webhook_id: hook.id });
  });
});
