import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { removeAbandonedFiles } from '../../../src/domain/abandoned-files.js';
import { ManualClock } from '../../harness/clock.js';
import { test } from '../../harness/fixtures.js';
import { operationForm, sendForm } from '../../harness/forms.js';
import type { GraphqlAnswer, Loose } from '../../harness/graphql.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf, uploadIcon } from '../../harness/settings.js';
import { createTeam, transferApplication } from '../../harness/teams.js';

let server: TestServer;
let owner: Person;
let application: MadeApplication;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

async function drawing(width: number, height: number, format: 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' = 'png') {
  const image = sharp({ create: { width, height, channels: 3, background: '#f00' } });
  return new Uint8Array(await image.toFormat(format).toBuffer());
}

const UPDATE = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { iconUrl coverUrl } } }`;

function upload(content: Uint8Array<ArrayBuffer>, more: object = {}): Promise<GraphqlAnswer<Loose>> {
  const variables = { input: { applicationId: application.id, cover: null, ...more } };
  const cover = { places: ['variables.input.cover'], content, filename: 'cover.png' };
  return sendForm(server, owner, operationForm({ query: UPDATE, variables }, [cover]));
}

async function put(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const { data, errors } = await upload(content);
  expect(errors).toEqual([]);
  return data.updateApplication.application.coverUrl;
}

const statusOf = async (url: string) => (await fetch(url)).status;

async function sizeOf(url: string) {
  const { width, height, format } = await sharp(Buffer.from(await (await fetch(url)).arrayBuffer())).metadata();
  return { width, height, format };
}

const bot = (method: string, json?: object) =>
  ask(server, method, '/applications/@me', {
    headers: { authorization: `Bot ${application.botToken}` },
    ...(json && { json }),
  });

describe('a cover', () => {
  test.each([
    ['png', 100, 40, 100, 40],
    ['jpeg', 2_048, 512, 1_024, 256],
    ['gif', 20, 60, 20, 60],
    ['webp', 900, 1_800, 512, 1_024],
  ] as const)('is accepted as %s of %i × %i and stored as %i × %i', async (format, width, height, ...kept) => {
    const url = await put(await drawing(width, height, format));
    expect(url).toMatch(new RegExp(`^${server.origin}/cdn/app-icons/${application.id}/[0-9a-f]{32}\\.png$`));
    expect(await sizeOf(url)).toEqual({ width: kept[0], height: kept[1], format: 'png' });
  });

  test('is served in each format and in a smaller size on request', async () => {
    const url = await put(await drawing(1_000, 500));
    expect(await sizeOf(url.replace('.png', '.webp'))).toMatchObject({ width: 1_000, format: 'webp' });
    expect(await sizeOf(url.replace('.png', '.jpg'))).toMatchObject({ width: 1_000, format: 'jpeg' });
    expect(await sizeOf(`${url}?size=512`)).toEqual({ width: 512, height: 256, format: 'png' });
    expect(await sizeOf(`${url}?size=2048`)).toMatchObject({ width: 1_000 });
  });

  test.each<[string, () => Promise<Uint8Array<ArrayBuffer>>, string]>([
    ['another format', () => drawing(9, 9, 'tiff'), 'IMAGE_INVALID'],
    ['too long a side', () => drawing(8_193, 1), 'IMAGE_INVALID'],
    ['more than 10 MiB', async () => new Uint8Array(10 * 1024 * 1024 + 1), 'BINARY_TYPE_MAX_SIZE'],
  ])('of %s is refused at `cover`', async (_what, content, code) => {
    expect(faultsOf(await upload(await content()))).toEqual({ cover: [code] });
  });

  test('is null at first, is replaced by a new upload and removed with null, and its old files are deleted', async () => {
    const { application: fresh } = await owner.graphql('query ($id: ID!) { application(id: $id) { coverUrl } }', {
      id: application.id,
    });
    expect(fresh.coverUrl).toBeNull();
    const first = await put(await drawing(50, 20));
    const second = await put(await drawing(50, 20));
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    const input = { applicationId: application.id, cover: null };
    const { updateApplication } = await owner.graphql(UPDATE, { input });
    expect(updateApplication.application.coverUrl).toBeNull();
    expect(await statusOf(second)).toBe(404);
  });

  test('and the icon are set and removed independently', async () => {
    const cover = await put(await drawing(50, 20));
    const { data } = await uploadIcon(server, owner, application.id, await drawing(30, 30));
    const { iconUrl } = data.updateApplication.application;
    expect([await statusOf(cover), await statusOf(iconUrl)]).toEqual([200, 200]);
    const { updateApplication } = await owner.graphql(UPDATE, {
      input: { applicationId: application.id, icon: null },
    });
    expect(updateApplication.application).toEqual({ iconUrl: null, coverUrl: cover });
    expect([await statusOf(cover), await statusOf(iconUrl)]).toEqual([200, 404]);
  });

  test('that is uploaded with rejected settings leaves the current cover and adds no files', async () => {
    const cover = await put(await drawing(50, 20));
    const before = await filesOf();
    const answer = await upload(await drawing(60, 20), { installLinkMode: 'CUSTOM' });
    expect(faultsOf(answer)).toEqual({ customInstallUrl: ['BASE_TYPE_REQUIRED'] });
    expect(await filesOf()).toEqual(before);
    expect(await statusOf(cover)).toBe(200);
  });

  test('is recorded in the audit log, survives a transfer, and is deleted with the application', async () => {
    const cover = await put(await drawing(50, 20));
    const [, hash] = /(\w+)\.png$/.exec(cover) ?? [];
    const { application: shown } = await owner.graphql(
      'query ($id: ID!) { application(id: $id) { auditLog(last: 1) { edges { node { action changes } } } } }',
      { id: application.id },
    );
    expect(shown.auditLog.edges).toEqual([
      { node: { action: 'APPLICATION_UPDATE', changes: { coverHash: { old: null, new: hash } } } },
    ]);
    await transferApplication(owner, application, await createTeam(owner));
    expect(await statusOf(cover)).toBe(200);
    await owner.graphql('mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { id } }', {
      input: { applicationId: application.id, name: 'Helper' },
    });
    expect(await statusOf(cover)).toBe(404);
  });

  test('is not removed as an abandoned file', async () => {
    const cover = await put(await drawing(50, 20));
    await uploadIcon(server, owner, application.id, await drawing(30, 30));
    const { db, blobs, log } = server.app;
    const clock = new ManualClock(Date.now() + 7_200_000);
    await removeAbandonedFiles({ read: db.reader, blobs, log, clock });
    expect(await statusOf(cover)).toBe(200);
  });
});

async function filesOf(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.blobs.list(`app-icons/${application.id}`)) keys.push(key);
  return keys.sort();
}

describe('over REST, `cover_image`', () => {
  const dataUri = async () => `data:image/png;base64,${Buffer.from(await drawing(60, 20)).toString('base64')}`;

  test('is set and cleared by the bot, and omitted if there is none', async () => {
    expect((await bot('GET')).body).not.toHaveProperty('cover_image');
    const { status, body } = await bot('PATCH', { cover_image: await dataUri() });
    expect([status, body.cover_image]).toEqual([200, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect((await bot('GET')).body.cover_image).toBe(body.cover_image);
    const url = `${server.origin}/cdn/app-icons/${application.id}/${body.cover_image}.png`;
    expect(await sizeOf(url)).toEqual({ width: 60, height: 20, format: 'png' });
    expect((await bot('PATCH', { cover_image: null })).body).not.toHaveProperty('cover_image');
    expect(await statusOf(url)).toBe(404);
  });

  test.each(['nothing', 'data:image/png;base64,AAAA'])('%s is refused', async (cover_image) => {
    const { status, body } = await bot('PATCH', { cover_image });
    expect([status, body.errors.cover_image._errors[0].code]).toEqual([400, 'IMAGE_INVALID']);
  });
});
