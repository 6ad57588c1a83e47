import { Readable } from 'node:stream';
import { MessageFlags } from 'discord-api-types/v10';
import { beforeEach, describe, expect } from 'vitest';
import { accessChannel } from '../../../src/domain/guilds/index.js';
import {
  applyEdit,
  listMessages,
  loadMessage,
  type MessageRecord,
  sendMessage,
  type UploadedFile,
} from '../../../src/domain/messages/index.js';
import { answer, commandOf } from '../../harness/answers.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { countQueries } from '../../harness/queries.js';
import type { TestServer } from '../../harness/server.js';
import { ONE_BUTTON, type SentBody, type TestBot, toSend } from '../../harness/world.js';
import { openRoom, type Room, type SentEdit, toEdit } from './scene.js';

const { Loading, Ephemeral, SuppressEmbeds, SuppressNotifications, IsComponentsV2 } = MessageFlags;
const TEXT = [{ type: 10, content: 'x' }] satisfies SentBody['components'];

let server: TestServer;
let room: Room;
let bot: Pick<TestBot, 'id' | 'user'>;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  bot = { id: room.users.bot.id, user: room.users.bot };
});

type Answered = NonNullable<Parameters<typeof answer>[3]>;
const reply = (body: SentBody, more: Answered = {}) => answer(server.app, bot, room.channelId, { body, ...more });
const place = () => accessChannel(room.bot, room.channelId, 'viewChannel');
const edit = async (message: MessageRecord, body: SentEdit, { asAuthor = true, files = [] as UploadedFile[] } = {}) =>
  applyEdit(room.bot, message, { place: await place(), body: toEdit(body), files, asAuthor });

async function file(filename: string): Promise<UploadedFile> {
  const blob = await server.app.blobs.stage(Readable.from([Buffer.from('x')]));
  return { index: 0, filename, contentType: 'text/plain', blob };
}

async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error = await attempt.then(
    () => ({ fields: [] }),
    (reason) => reason,
  );
  return error.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
}

describe('a deferred message', () => {
  test('may be empty, for each type', async () => {
    for (const kind of [0, 20, 23])
      expect(await reply({ flags: Loading }, { kind })).toMatchObject({ content: '', flags: Loading });
    expect(await outcome(reply({ flags: Ephemeral }))).toBe('EMPTY_MESSAGE');
  });

  test('is filled in by an edit of its author, which does not count as an edit', async () => {
    const promise = await reply({ flags: Loading | Ephemeral }, { visibleToId: room.users.ada.id });
    const kept = await edit(promise, { content: 'here it is' });
    expect(kept).toMatchObject({ content: 'here it is', flags: Ephemeral, editedAt: null });
    expect((await edit(kept, { content: 'and now' })).editedAt).not.toBeNull();
  });

  test('cannot be filled in with an empty edit', async () => {
    expect(await outcome(edit(await reply({ flags: Loading }), { content: '' }))).toBe('EMPTY_MESSAGE');
  });

  test('stays deferred while another user hides its embeds', async () => {
    const hidden = await edit(await reply({ flags: Loading }), { flags: SuppressEmbeds }, { asAuthor: false });
    expect(hidden).toMatchObject({ flags: Loading | SuppressEmbeds, content: '' });
  });

  test('keeps both of two edits that fill it in at once', async () => {
    const promise = await reply({ flags: Loading });
    await Promise.all([edit(promise, { content: 'x' }), edit(promise, { embeds: [{ title: 'x' }] })]);
    const message = await loadMessage(room.bot, await place(), promise.id);
    expect(message).toMatchObject({ content: 'x', embeds: [{ title: 'x' }], flags: 0 });
  });
});

describe('a response message', () => {
  test('has the id that was generated for it', async () => {
    const id = server.app.nextId();
    expect(await reply({ content: 'x' }, { wantedId: id })).toMatchObject({ id });
  });

  test('stores its interaction, and is loaded with the users of that', async () => {
    const { ada, bob } = room.users;
    const opened = { triggering: commandOf(server.app, bob.id, { targetUserId: String(ada.id) }) };
    const interaction = commandOf(server.app, ada.id, { type: 5, name: 'form', owners: { guildId: '1' }, ...opened });
    const sent = await reply({ content: 'x' }, { interaction });
    expect(sent).toMatchObject({ applicationId: bot.id, visibleToId: null, interaction, interactionUsers: [ada, bob] });
    expect(await loadMessage(room.bot, await place(), sent.id)).toEqual(sent);
    expect((await edit(sent, { content: 'y' })).interactionUsers).toEqual([ada, bob]);
  });

  test('adds no query to a list of messages', async () => {
    const counted = countQueries(server, room.bot.actor);
    const list = () => counted.statements(() => listMessages(counted.call, { channelId: room.channelId, limit: 50 }));
    const { ada, bob } = room.users;
    await reply({ content: 'x' }, { interaction: commandOf(server.app, ada.id) });
    // Fills the guild cache.
    await list();
    const one = await list();
    for (const person of [ada, bob]) await reply({ content: 'x' }, { interaction: commandOf(server.app, person.id) });
    expect(await list()).toHaveLength(one.length);
    await counted.close();
  });
});

describe('the flags of a message', () => {
  test('allow an edit to change only whether embeds are shown', async () => {
    const message = await reply({ content: 'x', flags: Ephemeral }, { visibleToId: room.users.ada.id });
    expect(await edit(message, { flags: 0 })).toMatchObject({ flags: Ephemeral });
    const open = await reply({ content: 'x' });
    const all = Ephemeral | Loading | SuppressNotifications | SuppressEmbeds;
    expect(await edit(open, { flags: all })).toMatchObject({ flags: SuppressEmbeds });
  });

  test('turn it into a layout if its author sets them and it has no other content', async () => {
    const message = await reply({ content: 'x' });
    const layout = { flags: IsComponentsV2, components: TEXT };
    expect(await edit(message, layout, { asAuthor: false }).catch(({ code }) => code)).toBe('INVALID_INPUT');
    expect(await faultsOf(edit(message, layout))).toEqual([
      'content MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    ]);
    expect(await edit(message, { ...layout, content: null })).toMatchObject({ flags: IsComponentsV2, content: '' });
  });

  test('keep it a layout', async () => {
    const message = await reply({ flags: IsComponentsV2, components: TEXT });
    expect(await edit(message, { components: [...TEXT, ...TEXT] })).toMatchObject({ flags: IsComponentsV2 });
    expect(await faultsOf(edit(message, { flags: 0 }))).toEqual(['flags MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG']);
    expect(await edit(message, { flags: SuppressEmbeds }, { asAuthor: false })).toMatchObject({
      flags: IsComponentsV2 | SuppressEmbeds,
    });
    const legacy = ['content', 'embeds'].map((path) => `${path} MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2`);
    expect(await faultsOf(edit(message, { content: 'x', embeds: [{ title: 'x' }] }))).toEqual(legacy);
    expect(await outcome(edit(message, { components: [] }))).toBe('EMPTY_MESSAGE');
  });
});

describe('a message', () => {
  const send = async (body: SentBody, files: UploadedFile[] = []) =>
    sendMessage(room.ada, { channelId: room.channelId, body: toSend(body), files });

  test('of text has at most five rows of interactive components, and no layout', async () => {
    const rows = (count: number): SentBody['components'] =>
      Array.from({ length: count }, (_, n) => ({
        type: 1,
        components: [{ type: 2, style: 1, label: 'x', custom_id: String(n) }],
      }));
    expect(await faultsOf(send({ content: 'x', components: rows(5) }))).toEqual([]);
    expect(await faultsOf(send({ content: 'x', components: rows(6) }))).toEqual(['components BASE_TYPE_BAD_LENGTH']);
    expect(await faultsOf(send({ components: [...ONE_BUTTON, ...TEXT] }))).toEqual(['components.1 UNION_TYPE_CHOICES']);
  });

  test('with a layout has neither text nor embeds', async () => {
    const layout: SentBody = { flags: IsComponentsV2, components: [...ONE_BUTTON, ...TEXT] };
    expect(await faultsOf(send(layout))).toEqual([]);
    expect(await faultsOf(send({ ...layout, content: '', embeds: [] }))).toEqual([]);
    const legacy = ['content', 'embeds'].map((path) => `${path} MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2`);
    expect(await faultsOf(send({ ...layout, content: 'x', embeds: [{ title: 'x' }] }))).toEqual(legacy);
    expect(await outcome(send({ flags: IsComponentsV2 }))).toBe('EMPTY_MESSAGE');
  });

  test('shows only its own files in a layout, both existing and new ones', async () => {
    const shows = (name: string): SentBody['components'] => [{ type: 13, file: { url: `attachment://${name}` } }];
    const missing = ['components.0.file.url UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND'];
    const layout = (name: string): SentBody => ({ flags: IsComponentsV2, components: shows(name) });
    expect(await faultsOf(send(layout('a.txt')))).toEqual(missing);
    expect(await faultsOf(send(layout('b.txt'), [await file('a.txt')]))).toEqual(missing);
    const named = { ...layout('b.txt'), attachments: [{ id: '0', filename: 'b.txt' }] };
    expect(await faultsOf(send(named, [await file('a.txt')]))).toEqual([]);
    const message = await reply(layout('a.txt'), { files: [await file('a.txt')] });
    expect(await faultsOf(edit(message, { components: shows('b.txt') }, { files: [await file('b.txt')] }))).toEqual([]);
    expect(await faultsOf(edit(message, { components: shows('a.txt'), attachments: [] }))).toEqual(missing);
    const inside: SentBody['components'] = [
      { type: 17, components: [{ type: 12, items: [{ media: { url: 'attachment://x' } }] }] },
    ];
    expect(await faultsOf(send({ flags: IsComponentsV2, components: inside }))).toEqual([
      'components.0.components.0.items.0.media.url UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
    ]);
  });
});
