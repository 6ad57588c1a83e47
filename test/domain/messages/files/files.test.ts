import { Readable } from 'node:stream';
import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../../src/context.js';
import type { CallContext } from '../../../../src/domain/call.js';
import { attachmentFiles } from '../../../../src/domain/messages/files/files.js';
import {
  deleteMessage,
  editMessage,
  findAttachmentFile,
  requireEditing,
  requireSending,
  sendMessage,
  type UploadedFile,
} from '../../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../../src/domain/permissions.js';
import type { User } from '../../../../src/infra/database/index.js';
import { failStatements } from '../../../harness/faults.js';
import { test } from '../../../harness/fixtures.js';
import { outcome } from '../../../harness/outcome.js';
import { createPerson, permitEveryone } from '../../../harness/rows.js';
import { addMember, callOf, createGuild, type SentBody, type TestGuild, toSend } from '../../../harness/world.js';
import { toEdit } from '../scene.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
let call: CallContext;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  ada = await createPerson(app);
  guild = await createGuild(app);
  await addMember(app, guild.id, ada);
  call = callOf(app, ada);
});

async function file(index: number, facts: { filename?: string; contentType?: string; content?: Buffer } = {}) {
  const { filename = 'x.txt', contentType = 'text/plain', content = Buffer.from('x') } = facts;
  return { index, filename, contentType, blob: await app.blobs.stage(Readable.from([content])) };
}

/** A file that claims to have this size. */
async function sized(index: number, size: number): Promise<UploadedFile> {
  const { blob, ...rest } = await file(index);
  return { ...rest, blob: { ...blob, size } };
}

const send = (files: UploadedFile[], body: SentBody = {}) =>
  sendMessage(call, { channelId: guild.channel.id, body: toSend(body), files });

const MIB = 1024 * 1024;

describe('the name of a file', () => {
  test.each([
    ['plain.txt', 'plain.txt'],
    ['über größe.txt', 'über_größe.txt'],
    ['u\u0308ber.txt', 'über.txt'],
    ['a/b\\c?d.txt', 'a_b_c_d.txt'],
    ['a-b_c.d', 'a-b_c.d'],
    ['..', 'unknown'],
    ['', 'unknown'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['.hidden', 'hidden'],
    [`${'x'.repeat(100)}.png`, `${'x'.repeat(96)}.png`],
    [`a${'.'.repeat(99)}`, `a${'.'.repeat(99)}`],
    [`ab${'.'.repeat(100)}`, 'unknown'],
    ['𝔘'.repeat(101), '𝔘'.repeat(100)],
  ])('%j is shown as %j', async (filename, shown) => {
    expect((await send([await file(0, { filename })])).attachments).toMatchObject([{ filename: shown }]);
  });

  test('is the one that the message gives it, together with its description', async () => {
    const files = [await file(0), await file(1, { filename: 'own.txt' }), await file(7)];
    const attachments = [
      { id: 7, filename: 'a b', description: ' seventh ' },
      { id: 0, description: 'first' },
    ];
    expect((await send(files, { attachments })).attachments).toMatchObject([
      { filename: 'x.txt', description: 'first', contentType: 'text/plain', size: 1 },
      { filename: 'own.txt', description: null },
      { filename: 'a_b', description: 'seventh' },
    ]);
  });

  test.each([
    ['a.png', null, false],
    ['[4f2c1ab] @ben (1).txt', '[4f2c1ab] @ben (1)', false],
    ['été 1.tar', 'été 1', false],
    ['a\u0000b.png', 'ab', false],
    ['Version 1. Final', 'Version 1. Final', false],
    ['.hidden', '.hidden', false],
    [`${'x'.repeat(2_000)}.png`, 'x'.repeat(1_024), false],
    ['SPOILER_end.png', null, true],
    ['SPOILER_the end.png', 'SPOILER_the end', true],
  ])(
    '%j has the title %j if the name was changed, and shows whether it is a spoiler',
    async (filename, title, isSpoiler) => {
      expect((await send([await file(0, { filename })])).attachments).toMatchObject([{ title, isSpoiler }]);
    },
  );

  test('for a file that was not sent is an error at its path', async () => {
    const attachments = [{ id: 0 }, { id: 1 }, { id: 2 }];
    await expect(send([await file(1)], { attachments })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        { path: 'attachments.0.id', code: 'ATTACHMENT_NOT_FOUND' },
        { path: 'attachments.2.id', code: 'ATTACHMENT_NOT_FOUND' },
      ],
    });
  });
});

describe('the attachment entries of a message', () => {
  test('may name each file once', async () => {
    const attachments = [{ id: 0 }, { id: '00', description: 'again' }];
    await expect(send([await file(0)], { attachments })).rejects.toMatchObject({
      fields: [{ path: 'attachments.1.id', code: 'BASE_TYPE_INVALID' }],
    });
  });

  test('keep the name of the upload if they give none', async () => {
    const attachments = [{ id: 0, filename: '' }];
    expect((await send([await file(0)], { attachments })).attachments).toMatchObject([{ filename: 'x.txt' }]);
  });

  test('replace or clear the description in an edit, and leave other files unchanged', async () => {
    const described = [0, 1, 2].map((id) => ({ id, description: 'old' }));
    const files = await Promise.all([0, 1, 2].map((index) => file(index)));
    const { id: messageId, attachments } = await send(files, { attachments: described });
    const [a, b, c] = attachments.map(({ id }) => String(id));
    const body = toEdit({
      attachments: [{ id: a ?? '', description: ' new ' }, { id: b ?? '', description: null }, { id: c ?? '' }],
    });
    const edited = await editMessage(call, { channelId: guild.channel.id, messageId, body, files: [] });
    const descriptions = (of: { description: string | null }[]) => of.map(({ description }) => description);
    expect(descriptions(edited.attachments)).toEqual(['new', null, 'old']);
    const stored = await app.db.reader.attachment.findMany({ where: { messageId }, orderBy: { id: 'asc' } });
    expect(descriptions(stored)).toEqual(['new', null, 'old']);
  });
});

describe('files', () => {
  test('are limited to ten', async () => {
    const files = await Promise.all(Array.from({ length: 11 }, (_, index) => file(index)));
    expect((await send(files.slice(0, 10))).attachments).toHaveLength(10);
    const more = await Promise.all(Array.from({ length: 11 }, (_, index) => file(index)));
    await expect(send(more)).rejects.toMatchObject({
      code: 'TOO_MANY_ATTACHMENTS',
      message: 'Maximum number of attachments in a message reached (10)',
    });
  });

  test('are limited to 10 MiB each, and 25 MiB together', async () => {
    expect(await outcome(send([await sized(0, 10 * MIB), await sized(1, 10 * MIB), await sized(2, 5 * MIB)]))).toBe(
      'ok',
    );
    await expect(send([await sized(0, 1), await sized(1, 10 * MIB + 1)])).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      message: `File uploaded exceeds the maximum size of ${10 * MIB} bytes`,
    });
    const files = [await sized(0, 10 * MIB), await sized(1, 10 * MIB), await sized(2, 5 * MIB + 1)];
    expect(await outcome(send(files))).toBe('REQUEST_TOO_LARGE');
  });

  test('are found by exactly the parts of their URL', async () => {
    const { attachments, id } = await send([await file(0)]);
    const attachmentId = attachments[0]?.id ?? 0n;
    const key = `attachments/${guild.channel.id}/${id}/${attachmentId}`;
    const find = (more: object = {}) => {
      const input = { channelId: guild.channel.id, attachmentId, filename: 'x.txt', ...more };
      return findAttachmentFile(app.db.reader, app.blobs, input);
    };
    expect(await find()).toEqual({ id: attachmentId, key, contentType: 'text/plain', size: 1 });
    for (const wrong of [{ channelId: 1n }, { attachmentId: 1n }, { filename: 'y.txt' }]) {
      expect(await find(wrong)).toBeNull();
    }
    await app.blobs.remove(key);
    expect(await find()).toBeNull();
  });

  test('are deleted with their message', async () => {
    const { attachments, id } = await send([await file(0), await file(1)]);
    const keys = attachments.map((attachment) => `attachments/${guild.channel.id}/${id}/${attachment.id}`);
    const sizes = () => Promise.all(keys.map((key) => app.blobs.size(key)));
    expect(await sizes()).toEqual([1, 1]);
    await deleteMessage(call, { channelId: guild.channel.id, messageId: id });
    expect(await sizes()).toEqual([null, null]);
  });

  test('are not abandoned if they have a row, or are no attachments', async () => {
    const { attachments, id } = await send([await file(0)]);
    const folder = `attachments/${guild.channel.id}/${id}`;
    const kept = [`${folder}/${attachments[0]?.id}`, 'attachments/x', `${folder}/x`, `${folder}/1/2`, 'other/1/2/3'];
    const keys = [...kept, `${folder}/1`, 'attachments/1/2/3'];
    expect((await attachmentFiles.withRow(app.db.reader, keys)).sort()).toEqual(kept.sort());
    expect(await attachmentFiles.knowsAny(app.db.reader)).toBe(true);
  });

  test('are removed if an edit fails, and the existing ones are kept', async () => {
    const { attachments, id: messageId } = await send([await file(0)], { content: 'x' });
    const folder = `attachments/${guild.channel.id}/${messageId}`;
    const keys = async () => {
      const found: string[] = [];
      for await (const key of app.blobs.list(folder)) found.push(key);
      return found;
    };
    const edit = async () => {
      const body = toEdit({ attachments: [{ id: 0 }] });
      return editMessage(call, { channelId: guild.channel.id, messageId, body, files: [await file(0)] });
    };
    const fault = failStatements(/INTO .*Attachment/);
    await expect(edit()).rejects.toThrow();
    fault.heal();
    expect(await keys()).toEqual([`${folder}/${attachments[0]?.id}`]);
    const edited = await edit();
    expect(edited.attachments).toHaveLength(1);
    expect(await keys()).toEqual([`${folder}/${edited.attachments[0]?.id}`]);
  });
});

describe('the size of an image', () => {
  const picture = () => sharp({ create: { width: 3, height: 2, channels: 3, background: 'teal' } });
  const FORMATS: [string, string, () => Promise<Buffer>][] = [
    ['png', 'image/png', () => picture().png().toBuffer()],
    ['jpeg', 'image/jpeg', () => picture().jpeg().toBuffer()],
    ['gif', 'image/gif', () => picture().gif().toBuffer()],
    ['webp', 'image/webp', () => picture().webp().toBuffer()],
  ];
  const sizeOf = async (contentType: string, content: Buffer) => {
    const [attachment] = (await send([await file(0, { contentType, content })])).attachments;
    return [attachment?.width, attachment?.height];
  };

  test.each(FORMATS)('is read from %s', async (_, contentType, make) => {
    expect(await sizeOf(contentType, await make())).toEqual([3, 2]);
    expect(await sizeOf('application/octet-stream', await make())).toEqual([null, null]);
  });

  test.each([
    ['a format that is not looked into', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>')],
    ['what only begins like a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['nothing', Buffer.alloc(0)],
  ])('is not read from %s', async (_, content) => {
    expect(await sizeOf('image/png', content)).toEqual([null, null]);
  });
});

describe('before files are received', () => {
  const everything = ALL_PERMISSIONS & ~Permission.Administrator;
  const permit = (missing: bigint) => permitEveryone(app, guild.id, everything & ~missing);
  beforeEach(() => permit(0n));

  test.each([
    [0, 0n, 'ok'],
    [0, Permission.AttachFiles, 'ok'],
    [0, Permission.SendMessages, 'MISSING_PERMISSIONS'],
    [1, 0n, 'ok'],
    [1, Permission.AttachFiles, 'MISSING_PERMISSIONS'],
    [1, Permission.SendMessages, 'MISSING_PERMISSIONS'],
    [1, Permission.ViewChannel, 'UNKNOWN_CHANNEL'],
  ])('of a new message with %i of them, its permissions are checked: without %s', async (files, missing, ends) => {
    await permit(missing);
    expect(await outcome(requireSending(call, { channelId: guild.channel.id, files }))).toBe(ends);
  });

  test('of an edit, its permissions are checked: by its author, with AttachFiles', async () => {
    const { id: messageId } = await send([], { content: 'x' });
    const place = { channelId: guild.channel.id, messageId };
    expect(await outcome(requireEditing(call, place))).toBe('ok');
    expect(await outcome(requireEditing(callOf(app, guild.owner), place))).toBe('NOT_MESSAGE_AUTHOR');
    expect(await outcome(requireEditing(call, { ...place, messageId: 1n }))).toBe('UNKNOWN_MESSAGE');
    await permit(Permission.AttachFiles);
    expect(await outcome(requireEditing(call, place))).toBe('MISSING_PERMISSIONS');
    const body = toEdit({});
    expect(await outcome(editMessage(call, { ...place, body, files: [await file(0)] }))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(editMessage(call, { ...place, body, files: [] }))).toBe('ok');
    expect(await outcome(send([await file(0)]))).toBe('MISSING_PERMISSIONS');
  });

  test("a moderator may change only the flags of another author's message", async () => {
    const { id: messageId } = await send([], { content: 'x' });
    const edit = async (body: Parameters<typeof toEdit>[0], files: UploadedFile[] = []) =>
      outcome(
        editMessage(callOf(app, guild.owner), { channelId: guild.channel.id, messageId, body: toEdit(body), files }),
      );
    expect(await edit({ flags: 4 })).toBe('ok');
    expect(await edit({})).toBe('NOT_MESSAGE_AUTHOR');
    expect(await edit({ flags: 4 }, [await file(0)])).toBe('NOT_MESSAGE_AUTHOR');
    expect(await edit({ flags: 4, attachments: [] })).toBe('NOT_MESSAGE_AUTHOR');
    const message = await app.db.reader.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(message).toMatchObject({ flags: 4, editedAt: null });
  });
});
