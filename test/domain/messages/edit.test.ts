import { Readable } from 'node:stream';
import { beforeEach, describe, expect } from 'vitest';
import {
  addReaction,
  deleteMessage,
  editMessage,
  getMessage,
  sendMessage,
  type UploadedFile,
} from '../../../src/domain/messages/index.js';
import { renderMessage } from '../../../src/wire/messages.js';
import { namesIn } from '../../harness/blobs.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { createBot, ONE_BUTTON, toSend } from '../../harness/world.js';
import { openRoom, type Room, type SentEdit, toEdit } from './scene.js';

let server: TestServer;
let room: Room;
let messageId: bigint;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
});

async function file(index: number, filename: string): Promise<UploadedFile> {
  const blob = await server.app.blobs.stage(Readable.from([Buffer.from(filename)]));
  return { index, filename, contentType: 'text/plain', blob };
}

async function sendFiles(...filenames: string[]) {
  const files = await Promise.all(filenames.map((filename, index) => file(index, filename)));
  const sent = await sendMessage(room.ada, { channelId: room.channelId, body: toSend({ content: 'x' }), files });
  messageId = sent.id;
  return sent.attachments.map(({ id }) => String(id));
}

const edit = (body: SentEdit, files: UploadedFile[] = [], call = room.ada) =>
  editMessage(call, { channelId: room.channelId, messageId, body: toEdit(body), files });
const stored = () => getMessage(room.ada, { channelId: room.channelId, messageId });
const names = (message: { attachments: { filename: string }[] }) => message.attachments.map(({ filename }) => filename);
const filesOf = () => namesIn(server.app.blobs, `attachments/${room.channelId}/${messageId}`);
const isKept = async (id: string | undefined) =>
  (await server.app.blobs.size(`attachments/${room.channelId}/${messageId}/${id}`)) !== null;

describe('the fields of an edit', () => {
  beforeEach(async () => {
    const body = toSend({ content: 'old', embeds: [{ title: 'old' }], components: ONE_BUTTON });
    messageId = (await sendMessage(room.ada, { channelId: room.channelId, body })).id;
  });

  test('are changed, and the others stay', async () => {
    const edited = await edit({ content: 'new' });
    expect(edited).toMatchObject({ content: 'new', embeds: [{ title: 'old' }], components: [{ type: 1, id: 1 }] });
    expect(edited.editedAt).not.toBeNull();
    expect(await stored()).toEqual(edited);
    expect(await edit({ embeds: [{ title: 'new' }] })).toMatchObject({ content: 'new', embeds: [{ title: 'new' }] });
  });

  test('are cleared by null or an empty list', async () => {
    expect(await edit({ content: null })).toMatchObject({ content: '', embeds: [{ title: 'old' }] });
    expect(await edit({ embeds: null, content: 'x' })).toMatchObject({ embeds: [], components: [{ type: 1, id: 1 }] });
    expect(await edit({ components: [] })).toMatchObject({ content: 'x', components: [] });
    for (const body of [{ content: null }, { content: '' }, { content: ' ' }]) {
      expect(await outcome(edit(body))).toBe('EMPTY_MESSAGE');
    }
    expect(await stored()).toMatchObject({ content: 'x' });
  });

  test('are all changed by edits at once that name different ones', async () => {
    await Promise.all([edit({ content: 'new' }), edit({ embeds: [{ title: 'new' }] }), edit({ components: [] })]);
    expect(await stored()).toMatchObject({ content: 'new', embeds: [{ title: 'new' }], components: [] });
  });

  test('flags: only the one that suppresses embeds is changed', async () => {
    expect(await edit({ flags: 4 | 64 | 4096 })).toMatchObject({ flags: 4 });
    expect(await edit({ content: 'x' })).toMatchObject({ flags: 4 });
    expect(await edit({ flags: 0 })).toMatchObject({ flags: 0 });
  });

  test('mentions: they are set again, by the defaults without allowed_mentions', async () => {
    const mention = `<@${room.users.bob.id}>`;
    const mentioned = async (body: SentEdit) => (await edit(body)).mentionedUsers.map((user) => user.id);
    expect(await mentioned({ content: mention, allowed_mentions: { parse: [] } })).toEqual([]);
    expect(await mentioned({ content: `${mention}!` })).toEqual([room.users.bob.id]);
    expect(await mentioned({ embeds: [] })).toEqual([room.users.bob.id]);
    expect(await mentioned({ content: 'nobody' })).toEqual([]);
  });

  test('mentions: users outside the guild are ignored, except those already mentioned', async () => {
    const mentioned = async (body: SentEdit) => (await edit(body)).mentionedUsers.map((user) => user.id);
    const { bob } = room.users;
    const stranger = await createBot(server.app);
    expect(await mentioned({ content: `<@${bob.id}> <@${stranger.id}>` })).toEqual([bob.id]);
    await server.app.db.writer.member.deleteMany({ where: { guildId: room.guild.id, userId: bob.id } });
    expect(await mentioned({ content: `<@${bob.id}>!` })).toEqual([bob.id]);
  });
});

describe('attachments', () => {
  test('stay if the edit does not list them, and new ones follow', async () => {
    await sendFiles('a', 'b');
    expect(names(await edit({ content: 'new' }))).toEqual(['a', 'b']);
    expect(names(await edit({}, [await file(0, 'c')]))).toEqual(['a', 'b', 'c']);
    expect(names(await stored())).toEqual(['a', 'b', 'c']);
  });

  test('that the edit omits from its list are removed, also from storage', async () => {
    const [a, b] = await sendFiles('a', 'b');
    const edited = await edit({ attachments: [{ id: b ?? '' }, { id: 0, description: 'third' }] }, [
      await file(0, 'c'),
    ]);
    expect(edited.attachments).toMatchObject([{ filename: 'b' }, { filename: 'c', description: 'third' }]);
    expect(await stored()).toEqual(edited);
    expect([await isKept(a), await isKept(b)]).toEqual([false, true]);
  });

  test('are cleared by an empty list or null', async () => {
    const [a] = await sendFiles('a');
    expect((await edit({ attachments: [] })).attachments).toEqual([]);
    expect(await isKept(a)).toBe(false);
    await sendFiles('a');
    expect((await edit({ attachments: null })).attachments).toEqual([]);
  });

  test('are counted together, old and new', async () => {
    await sendFiles(...'abcdefgh');
    expect(await outcome(edit({}, [await file(0, 'i'), await file(1, 'j'), await file(2, 'k')]))).toBe(
      'TOO_MANY_ATTACHMENTS',
    );
    expect((await edit({}, [await file(0, 'i'), await file(1, 'j')])).attachments).toHaveLength(10);
  });

  test('alone keep a message from being empty', async () => {
    await sendFiles('a');
    expect(await outcome(edit({ content: null, attachments: [] }))).toBe('EMPTY_MESSAGE');
    expect(await edit({ content: null })).toMatchObject({ content: '' });
    expect(names(await stored())).toEqual(['a']);
  });

  test('that exist stay if new ones cannot be stored', async () => {
    const [a] = await sendFiles('a');
    const [stored, broken] = [await file(0, 'b'), await file(1, 'c')];
    broken.blob.keep = () => Promise.reject(new Error('no space'));
    await expect(edit({}, [stored, broken])).rejects.toThrow('no space');
    expect(await filesOf()).toEqual([a]);
    await broken.blob.discard();
  });

  test('of a refused edit are removed', async () => {
    await sendFiles('a');
    const refused = await file(0, 'b');
    await deleteMessage(room.ada, { channelId: room.channelId, messageId });
    expect(await outcome(edit({}, [refused]))).toBe('UNKNOWN_MESSAGE');
    await refused.blob.discard();
  });
});

describe('races', () => {
  /** Sends edits at once, and returns their outcomes after their unused files are removed. */
  async function editAtOnce(edits: { body: SentEdit; files?: UploadedFile[] }[], call = room.ada) {
    const outcomes = await Promise.all(edits.map(({ body, files }) => outcome(edit(body, files, call))));
    await Promise.all(edits.flatMap(({ files = [] }) => files.map(({ blob }) => blob.discard())));
    return outcomes.sort();
  }

  const newest = () => JSON.parse(room.events.filter(({ type }) => type === 'MESSAGE_UPDATE').at(-1)?.data ?? '{}');

  /** Checks that the newest event equals the stored message, and that storage has exactly its files. */
  async function expectNewestEventHolds() {
    const { reactions: _, ...wire } = renderMessage(await stored(), server.app.addresses);
    expect(newest()).toMatchObject(JSON.parse(JSON.stringify(wire)));
    expect((await filesOf()).sort()).toEqual(wire.attachments.map(({ id }) => id).sort());
  }

  test('edits that each add 6 files: one succeeds, and the others exceed the limit', async () => {
    for (let round = 0; round < 8; round += 1) {
      messageId = await room.say();
      const files = () => Promise.all([...'abcdef'].map((name, index) => file(index, name)));
      const edits = await Promise.all([1, 2, 3, 4].map(async () => ({ body: {}, files: await files() })));
      expect(await editAtOnce(edits)).toEqual([...Array(3).fill('TOO_MANY_ATTACHMENTS'), 'ok']);
      expect(names(await stored())).toEqual([...'abcdef']);
      await expectNewestEventHolds();
    }
  });

  test('edits that together would leave nothing: one is refused', async () => {
    for (let round = 0; round < 20; round += 1) {
      await sendFiles('a');
      expect(await editAtOnce([{ body: { content: null } }, { body: { attachments: [] } }])).toEqual([
        'EMPTY_MESSAGE',
        'ok',
      ]);
      await expectNewestEventHolds();
    }
  });

  test('edits of all kinds: each counts, and the newest event equals the message', async () => {
    const mention = { content: `<@${room.users.bob.id}>` };
    for (let round = 0; round < 20; round += 1) {
      const [a] = await sendFiles('a', 'b');
      const edits = [
        { body: mention },
        { body: { embeds: [{ title: 'new' }] } },
        { body: { attachments: [{ id: a ?? '' }] } },
        { body: { flags: 4 } },
      ];
      expect(await editAtOnce(edits)).toEqual(['ok', 'ok', 'ok', 'ok']);
      expect(await stored()).toMatchObject({
        ...mention,
        mentionedUsers: [{ id: room.users.bob.id }],
        embeds: [{ title: 'new' }],
        attachments: [{ filename: 'a' }],
        flags: 4,
      });
      await expectNewestEventHolds();
    }
  });

  test('edits by a moderator and by the author do not undo each other', async () => {
    const flags = (value: number) =>
      outcome(editMessage(room.owner, { channelId: room.channelId, messageId, body: { flags: value } }));
    for (let round = 0; round < 10; round += 1) {
      await sendFiles('a');
      expect(
        await Promise.all([
          flags(4),
          outcome(edit({ attachments: [], content: 'new' })),
          outcome(edit({ embeds: [{ title: 'new' }] })),
        ]),
      ).toEqual(['ok', 'ok', 'ok']);
      expect(await stored()).toMatchObject({ content: 'new', embeds: [{ title: 'new' }], attachments: [], flags: 4 });
      await expectNewestEventHolds();
    }
  });

  test('edits within one tick of the clock are distinguished', async () => {
    const standing = { ...room.ada, clock: { ...room.ada.clock, now: () => 1_800_000_000_000 } };
    messageId = await room.say();
    const edits = await Promise.all(['a', 'b', 'c'].map(async (name) => ({ body: {}, files: [await file(0, name)] })));
    expect(await editAtOnce([...edits, { body: { content: 'x' } }], standing)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(names(await stored()).sort()).toEqual(['a', 'b', 'c']);
    await expectNewestEventHolds();
  });

  test('edits with files during a deletion: each succeeds or finds no message, and no file is left', async () => {
    for (let round = 0; round < 5; round += 1) {
      await sendFiles('a');
      const edits = await Promise.all(
        [0, 1, 2, 3].map(async (n) => ({ body: { attachments: [{ id: 0 }] }, files: [await file(0, String(n))] })),
      );
      const removal = outcome(deleteMessage(room.ada, { channelId: room.channelId, messageId }));
      const results = [...(await editAtOnce(edits)), await removal];
      for (const result of results) expect(['ok', 'UNKNOWN_MESSAGE']).toContain(result);
      expect(await removal).toBe('ok');
      const left = await server.app.db.reader.attachment.findMany({ where: { messageId } });
      expect(left).toEqual([]);
      expect(await filesOf()).toEqual([]);
    }
  });
});

describe('the event', () => {
  test('omits reactions, which differ for each reader', async () => {
    messageId = await room.say();
    await addReaction(room.ada, { channelId: room.channelId, messageId, emoji: '👍' });
    expect((await edit({ content: 'new' })).reactions).toMatchObject([{ emoji: '👍', count: 1, me: true }]);
    const event = room.events.find(({ type }) => type === 'MESSAGE_UPDATE');
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ content: 'new', edited_timestamp: expect.any(String) });
    expect(JSON.parse(event?.data ?? '')).not.toHaveProperty('reactions');
  });
});
