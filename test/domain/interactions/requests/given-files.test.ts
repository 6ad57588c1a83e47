import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ComponentType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import { removeAbandonedFiles } from '../../../../src/domain/abandoned-files.js';
import type { CommandOption } from '../../../../src/domain/commands/record.js';
import { createInteraction } from '../../../../src/domain/interactions/delivery/create.js';
import { removeOldInteractionFiles, removeOldInteractions } from '../../../../src/domain/interactions/expired.js';
import {
  commandRequest,
  findInteractionFile,
  InvokedOptions,
  modalRequest,
  requireInvoking,
  requireSubmitting,
  SubmittedComponents,
  submitModal,
} from '../../../../src/domain/interactions/index.js';
import { jobKinds } from '../../../../src/domain/jobs.js';
import { limits } from '../../../../src/domain/limits.js';
import type { UploadedFile } from '../../../../src/domain/messages/index.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { ManualClock } from '../../../harness/clock.js';
import { it } from '../../../harness/fixtures.js';
import { outcome } from '../../../harness/outcome.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { faultsOf, openScene, type Scene, storeCommand, storeModal } from '../scene.js';

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60_000;
const HOUR = 60 * 60_000;

let server: TestServer;
let scene: Scene;
let folder: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  folder = join(server.app.config.dataDir, 'blobs/interaction-files');
});

async function file(content: string | Buffer = 'x', filename = 'a.txt'): Promise<UploadedFile> {
  const blob = await server.app.blobs.stage(Readable.from([Buffer.from(content)]));
  return { index: 0, blob, filename, contentType: 'text/plain' };
}

const taking = (name: string, facts: Partial<CommandOption> = {}): CommandOption => ({
  type: Option.Attachment,
  name,
  description: name,
  ...facts,
});

const TWO = [taking('one'), taking('two')];

async function run(known: CommandOption[], values: object, files: number | UploadedFile[], facts: object = {}) {
  const commandId = await storeCommand(scene, known, facts);
  const sent = Object.entries(values).map(([name, value]) => ({ name, value }));
  const options = parseInput(InvokedOptions, sent, 'options');
  return commandRequest(scene.owner, { channelId: scene.guild.channel.id, commandId, options, files });
}

async function kept(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

async function staged(): Promise<number> {
  return (await readdir(join(server.app.config.dataDir, 'blobs/.staging'))).length;
}

describe('a file of a command', () => {
  it('is resolved from the index in the option, wherever it is in the list', async () => {
    const files = [await file('first', 'a b.txt'), await file('second!', 'b.txt')];
    const request = await run(TWO, { one: 1, two: '0' }, files);
    const [a, b] = request.resolved.files;
    expect(a?.file).toEqual({
      id: expect.any(BigInt),
      filename: 'a_b.txt',
      contentType: 'text/plain',
      size: 5,
      width: null,
      height: null,
      title: 'a b',
      isSpoiler: false,
    });
    expect(b?.file).toMatchObject({ filename: 'b.txt', size: 7 });
    expect(request.data).toMatchObject({
      options: [
        { name: 'one', type: 11, value: String(b?.file.id) },
        { name: 'two', type: 11, value: String(a?.file.id) },
      ],
    });
  });

  it.each<[string, CommandOption[], object, number, string[]]>([
    ['is given to something', TWO, {}, 2, ['files.0 BASE_TYPE_INVALID', 'files.1 BASE_TYPE_INVALID']],
    ['is given once', TWO, { one: 0, two: 0 }, 1, ['files.0 BASE_TYPE_INVALID']],
    ['is there', TWO, { one: 0, two: 1 }, 1, ['options.1.value ATTACHMENT_NOT_FOUND']],
    [
      'is not left out where it is required',
      [taking('one', { required: true })],
      {},
      0,
      ['options BASE_TYPE_REQUIRED'],
    ],
  ])('%s', async (_rule, known, values, count, expected) => {
    expect(await faultsOf(run(known, values, count))).toEqual(expected);
    const files = await Promise.all(Array.from({ length: count }, () => file()));
    expect(await faultsOf(run(known, values, files))).toEqual(expected);
  });

  it('must have a type that the option accepts', async () => {
    const known = [taking('one', { file_types: ['image', '.pdf'] })];
    expect(await faultsOf(run(known, { one: 0 }, [await file('x', 'a.exe')]))).toEqual([
      'options.0.value BASE_TYPE_CHOICES',
    ]);
    expect(await faultsOf(run(known, { one: 0 }, [await file('x', 'A.PDF')]))).toEqual([]);
  });

  it('has the size limits of a message, also for all files together', async () => {
    const sized = (size: number) => file(Buffer.alloc(size));
    expect(await outcome(run(TWO, { one: 0 }, [await sized(limits.fileSize)]))).toBe('ok');
    expect(await outcome(run(TWO, { one: 0 }, [await sized(limits.fileSize + 1)]))).toBe('FILE_TOO_LARGE');
    const three = [...TWO, taking('three')];
    const files = [await sized(10 * MIB), await sized(10 * MIB), await sized(5 * MIB + 1)];
    expect(await outcome(run(three, { one: 0, two: 1, three: 2 }, files))).toBe('REQUEST_TOO_LARGE');
  });

  it('is limited to ten', async () => {
    const known = Array.from({ length: 11 }, (_, n) => taking(`o${n}`));
    const values = (count: number) => Object.fromEntries(known.slice(0, count).map(({ name }, n) => [name, n]));
    expect(await outcome(run(known, values(10), 10))).toBe('ok');
    expect(await outcome(run(known, values(11), 11))).toBe('TOO_MANY_ATTACHMENTS');
  });

  it('is refused for a context menu', async () => {
    const commandId = await storeCommand(scene, [], { type: 2 });
    const targetId = scene.users.ada.id;
    const input = { channelId: scene.guild.channel.id, commandId, options: [], targetId, files: 1 };
    expect(await faultsOf(commandRequest(scene.owner, input))).toEqual(['files BASE_TYPE_INVALID']);
  });

  it('is not requested if the caller cannot run the command', async () => {
    const commandId = await storeCommand(scene, TWO);
    const options = parseInput(InvokedOptions, [{ name: 'one', value: 0 }], 'options');
    const input = { channelId: scene.guild.channel.id, commandId, options, files: 1 };
    expect(await outcome(requireInvoking(scene.owner, input))).toBe('ok');
    expect(await outcome(requireInvoking(scene.ada, input))).toBe('MISSING_PERMISSIONS');
  });
});

it('uploads of files are limited to ten in ten seconds', async () => {
  const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
  try {
    const there = await openScene(limited);
    const commandId = await storeCommand(there, TWO);
    const options = parseInput(InvokedOptions, [{ name: 'one', value: 0 }], 'options');
    const input = { channelId: there.guild.channel.id, commandId, options, files: 1 };
    for (let n = 0; n < 10; n += 1) await requireInvoking(there.owner, input);
    expect(await outcome(requireInvoking(there.owner, input))).toBe('RATE_LIMITED');
  } finally {
    await limited.stop();
  }
});

const upload = (facts: object = {}) => ({
  type: ComponentType.Label,
  label: 'Files',
  component: { type: ComponentType.FileUpload, custom_id: 'files', min_values: 1, max_values: 3, ...facts },
});

const filled = (...values: unknown[]) =>
  parseInput(SubmittedComponents, [{ component: { custom_id: 'files', values } }], 'components');

describe('a file of a modal', () => {
  const fill = async (facts: object, values: unknown[], files: number | UploadedFile[]) =>
    modalRequest(scene.ada, {
      interaction: await storeModal(scene, [upload(facts)]),
      components: filled(...values),
      files,
    });

  it('is resolved from the values of the input', async () => {
    const request = await fill({}, [1, '0'], [await file('first'), await file('second')]);
    const ids = request.resolved.files.map((one) => String(one.file.id));
    expect(request.data).toMatchObject({ components: [{ component: { type: 19, values: ids.toReversed() } }] });
    expect(ids).toHaveLength(2);
  });

  it.each<[string, object, unknown[], number, string[]]>([
    ['is given to something', { required: false }, [], 1, ['files.0 BASE_TYPE_INVALID']],
    ['is given once', {}, [0, 0], 1, ['files.0 BASE_TYPE_INVALID']],
    ['is one of as many as it takes', {}, [0, 1, 2, 3], 4, ['components.0.component.values BASE_TYPE_BAD_LENGTH']],
  ])('%s', async (_rule, facts, values, count, expected) => {
    expect(await faultsOf(fill(facts, values, count))).toEqual(expected);
  });

  it('must have a type that the input accepts', async () => {
    const files = [await file('x', 'a.pdf'), await file('x', 'a.png')];
    expect(await faultsOf(fill({ file_types: ['.pdf'] }, [0, 1], files))).toEqual([
      'components.0.component.values.1 BASE_TYPE_CHOICES',
    ]);
  });

  it('is not requested if the caller was not shown the modal', async () => {
    const { id: interactionId } = await storeModal(scene, [upload()], { callbackType: 9 });
    const input = { interactionId, components: filled(0), files: 1 };
    expect(await outcome(requireSubmitting(scene.ada, input))).toBe('ok');
    expect(await outcome(requireSubmitting(scene.owner, input))).toBe('UNKNOWN_INTERACTION');
  });

  it('is stored once if the modal is submitted twice at once', async () => {
    const { id: interactionId } = await storeModal(scene, [upload()], { callbackType: 9 });
    const before = await kept();
    const files = [await file('a'), await file('b')];
    const send = (one: UploadedFile) => submitModal(scene.ada, { interactionId, components: filled(0), files: [one] });
    const outcomes = await Promise.all(files.map((one) => outcome(send(one))));
    expect(outcomes.toSorted()).toEqual(['CONFLICT', 'ok']);
    expect(await kept()).toHaveLength(before.length + 1);
  });

  it('does not use up the modal if the interaction cannot be stored', async () => {
    const { id: interactionId } = await storeModal(scene, [upload()], { callbackType: 9 });
    const before = await kept();
    const given = await file();
    const broken = { ...given, blob: { ...given.blob, keep: () => Promise.reject(new Error('the disk is full')) } };
    const send = (files: UploadedFile[]) => submitModal(scene.ada, { interactionId, components: filled(0), files });
    await expect(send([broken])).rejects.toThrow('the disk is full');
    const { modal } = await server.app.db.reader.interaction.findUniqueOrThrow({ where: { id: interactionId } });
    expect(modal).not.toBeNull();
    expect(await kept()).toEqual(before);
  });
});

describe('the files of an interaction', () => {
  const store = async (count = 1) => {
    const files = await Promise.all(Array.from({ length: count }, (_, n) => file(`content ${n}`)));
    const values = Object.fromEntries(TWO.slice(0, count).map(({ name }, n) => [name, n]));
    const request = await run(TWO, values, files);
    const { interaction } = await createInteraction(scene.owner, request);
    return { interaction, ids: request.resolved.files.map((one) => one.file.id) };
  };
  const pathOf = (interactionId: bigint, id: bigint) => join(folder, String(interactionId), String(id));

  it('are stored with it', async () => {
    const { interaction, ids } = await store(2);
    const rows = await server.app.db.reader.interactionFile.findMany({ where: { interactionId: interaction.id } });
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(ids.filter((id) => !existsSync(pathOf(interaction.id, id)))).toEqual([]);
  });

  it('are found by exactly the parts of their URL', async () => {
    const { interaction, ids } = await store();
    const attachmentId = ids[0] ?? 0n;
    const find = (more: object = {}) =>
      findInteractionFile(server.app.db.reader, server.app.blobs, {
        channelId: scene.guild.channel.id,
        attachmentId,
        filename: 'a.txt',
        ...more,
      });
    const key = `interaction-files/${interaction.id}/${attachmentId}`;
    expect(await find()).toEqual({ id: attachmentId, key, contentType: 'text/plain', size: 9 });
    for (const wrong of [{ channelId: 1n }, { attachmentId: 1n }, { filename: 'y.txt' }]) {
      expect(await find(wrong)).toBeNull();
    }
    await server.app.blobs.remove(key);
    expect(await find()).toBeNull();
  });

  it('are discarded if the interaction cannot be stored', async () => {
    const request = await run(TWO, { one: 0, two: 1 }, [await file(), await file()]);
    const before = await kept();
    const refused = { ...scene.owner, writeOne: () => Promise.reject(new Error('refused')) };
    await expect(createInteraction(refused, request)).rejects.toThrow('refused');
    expect(await kept()).toEqual(before);
  });

  it('are stored all or none', async () => {
    const request = await run(TWO, { one: 0, two: 1 }, [await file(), await file()]);
    const before = await kept();
    const [, second] = request.resolved.files;
    if (second) second.blob = { ...second.blob, keep: () => Promise.reject(new Error('the disk is full')) };
    await expect(createInteraction(scene.owner, request)).rejects.toThrow('the disk is full');
    expect(await kept()).toEqual(before);
    expect(await staged()).toBeGreaterThan(0);
  });

  it('I-27: are removed with it after seven days, and it is not removed without them', async () => {
    const { interaction, ids } = await store(2);
    const { app } = server;
    const isThere = async () => (await app.db.reader.interaction.count({ where: { id: interaction.id } })) === 1;
    const paths = ids.map((id) => pathOf(interaction.id, id));
    const sweep = (now: number) => removeOldInteractionFiles(app.db, app.blobs, now, new AbortController().signal);
    await sweep(Date.now() + 7 * DAY - HOUR);
    await removeOldInteractions(app.db.writer, Date.now() + 8 * DAY, 200);
    expect(await isThere()).toBe(true);
    expect(paths.filter(existsSync)).toEqual(paths);
    await sweep(Date.now() + 7 * DAY + HOUR);
    expect(await isThere()).toBe(false);
    expect(await app.db.reader.interactionFile.count({ where: { interactionId: interaction.id } })).toBe(0);
    expect(paths.filter(existsSync)).toEqual([]);
  });

  it('are removed with the rows by the job that removes old rows', async () => {
    const { interaction, ids } = await store();
    const { app } = server;
    const kinds = jobKinds({ ...app, callOfNobody: () => scene.owner });
    const clock = new ManualClock(Date.now() + 8 * DAY);
    await kinds['expired-rows'].run({}, { id: 1n, attempt: 1, clock, signal: new AbortController().signal });
    expect(await app.db.reader.interaction.count({ where: { id: interaction.id } })).toBe(0);
    expect(ids.filter((id) => existsSync(pathOf(interaction.id, id)))).toEqual([]);
  });

  it('are removed on the next run if the process died between file and row', async () => {
    const { interaction, ids } = await store();
    const { app } = server;
    await app.blobs.remove(`interaction-files/${interaction.id}/`);
    await removeOldInteractionFiles(app.db, app.blobs, Date.now() + 8 * DAY, new AbortController().signal);
    expect(await app.db.reader.interactionFile.count({ where: { id: { in: ids } } })).toBe(0);
  });

  it('are removed when they are old if they have no interaction', async () => {
    const [withRow, without] = [await store(), await store()];
    const { app } = server;
    await app.db.writer.interaction.delete({ where: { id: without.interaction.id } });
    const look = () => removeAbandonedFiles({ ...app, read: app.db.reader });
    const paths = [withRow, without].flatMap(({ interaction, ids }) => ids.map((id) => pathOf(interaction.id, id)));
    await look();
    expect(paths.filter(existsSync)).toEqual(paths);
    const then = new Date(Date.now() - 2 * HOUR);
    for (const path of paths) await utimes(path, then, then);
    await look();
    expect(paths.map((path) => existsSync(path))).toEqual([true, false]);
  });
});
