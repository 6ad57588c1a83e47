import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyFolder, startBox, type TestBox } from '../../harness/box.js';
import type { Loose } from '../../harness/graphql.js';
import { type Person, signUp } from '../../harness/people.js';
import { makeBox, statusOf, untilBox } from '../../harness/self-hosted.js';
import { startServer, type TestServer } from '../../harness/server.js';

const ends: (() => Promise<unknown>)[] = [];
let cloud: TestServer;
let owner: Person;
let boxId: string;
let home: string;

beforeEach(async () => {
  cloud = await startServer();
  ends.push(() => cloud.stop());
  owner = await signUp(cloud, 'owner');
  const made = await makeBox(owner);
  boxId = made.box.id;
  home = await folder();
  await (await started(home, made.token)).stop();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const dataDir = await emptyFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function started(dataDir: string, token?: string): Promise<TestBox> {
  const box = await start(dataDir, token);
  const { boxId: id } = await identityIn(dataDir);
  await untilBox(cloud, id, async () => (await statusOf(owner, id)) === 'CONNECTED');
  return box;
}

async function start(dataDir: string, token?: string, cloudUrl = cloud.origin): Promise<TestBox> {
  const box = await startBox({ cloudUrl, dataDir, ...(token === undefined ? {} : { token }) });
  ends.push(() => box.stop());
  return box;
}

async function identityIn(dataDir: string): Promise<Loose> {
  return JSON.parse(await readFile(join(dataDir, 'box.json'), 'utf8'));
}

async function newToken(): Promise<string> {
  const query = 'mutation ($id: ID!) { newEnrolmentToken(input: { boxId: $id }) { enrolmentToken } }';
  return (await owner.graphql(query, { id: boxId })).newEnrolmentToken.enrolmentToken;
}

/** Lets a box with an empty folder replace the enrolled box. */
async function enrolElsewhere(): Promise<void> {
  await (await started(await folder(), await newToken())).stop();
}

describe('R-14: a box whose key is no longer valid', () => {
  it('explains how to enrol it again, and connects with another token: it gets a new key and keeps its ids', async () => {
    const before = await identityIn(home);
    await enrolElsewhere();
    const refused = await (await start(home)).refused;
    expect(refused).toMatchObject({ exitCode: 78 });
    expect(refused.message).toMatch(/BOX_TOKEN from newEnrolmentToken .* CLOUD_URL=none/);
    await ends.pop()?.();
    await started(home, await newToken());
    const after = await identityIn(home);
    expect(after).toMatchObject({ boxId, idSpace: before.idSpace });
    expect(after.publicKey).not.toBe(before.publicKey);
    expect(after.before).toBeUndefined();
  });

  it('may have been deleted: another box takes its place and keeps its ids', async () => {
    await makeBox(owner, 'Another').then(async ({ token }) => (await started(await folder(), token)).stop());
    const { idSpace } = await identityIn(home);
    await owner.graphql('mutation ($id: ID!) { deleteBox(input: { boxId: $id }) { id } }', { id: boxId });
    const refused = await (await start(home)).refused;
    expect(refused.message).toContain('createBox');
    await ends.pop()?.();
    const { box, token } = await makeBox(owner, 'Successor');
    await started(home, token);
    expect(await identityIn(home)).toMatchObject({ boxId: box.id, idSpace });
  });

  it('runs without a cloud if it is configured so', async () => {
    const box = await start(home, undefined, 'none');
    expect(await signUp(box, 'keeper')).toMatchObject({ name: 'keeper' });
    const ready = await (await fetch(`${box.origin}/readyz`)).json();
    expect(ready.degraded ?? []).not.toContain('cloud');
    expect(await statusOf(owner, boxId)).toBe('DISCONNECTED');
  });
});

describe('R-14: an enrolled box with another token', () => {
  it('keeps its key if it was enrolled with that token', async () => {
    const token = await newToken();
    await (await started(home, token)).stop();
    const before = await identityIn(home);
    await started(home, token);
    expect(await identityIn(home)).toEqual(before);
  });

  it('changes its key and invalidates the one before', async () => {
    const before = await identityIn(home);
    await (await started(home, await newToken())).stop();
    await writeFile(join(home, 'box.json'), JSON.stringify(before));
    expect((await (await start(home)).refused).message).toContain('4101');
  });

  it('keeps its key if the token is invalid', async () => {
    const before = await identityIn(home);
    await expect(start(home, 'cwbox_none')).rejects.toThrow(/used, expired or unknown: .* start without BOX_TOKEN/);
    expect(await identityIn(home)).toEqual(before);
    await started(home);
  });

  it('keeps its key if the token is of another box, which has other ids', async () => {
    const before = await identityIn(home);
    const { token } = await makeBox(owner, 'Another');
    await expect(start(home, token)).rejects.toThrow(/BOX_TOKEN belongs to another box/);
    expect(await identityIn(home)).toEqual(before);
    await started(home);
  });

  it('keeps the new key if it was killed before it could save that the key is valid', async () => {
    const old = await identityIn(home);
    await (await started(home, await newToken())).stop();
    const { boxId: id, idSpace, ...before } = old;
    const unsure = { ...(await identityIn(home)), before };
    await writeFile(join(home, 'box.json'), JSON.stringify(unsure));
    await started(home);
    expect(await identityIn(home)).toEqual({ ...unsure, before: undefined, boxId: id, idSpace });
  });
});

describe('the first start of a box', () => {
  it('needs a token before it dials', async () => {
    await expect(start(await folder())).rejects.toThrow(/set BOX_TOKEN to an enrolment token/);
  });

  it('needs a cloud', async () => {
    await expect(start(await folder(), undefined, 'none')).rejects.toThrow(/for the first start, set CLOUD_URL/);
  });

  it('R-12: stores the origin that the cloud states, and no cloud knows the box until it is enrolled', async () => {
    const named = await startServer({ env: { PUBLIC_URL: 'http://cloud.example' } });
    ends.push(() => named.stop());
    const dataDir = await folder();
    const attempt = start(dataDir, 'cwbox_some', named.app.addresses.operationsUrl);
    await expect(attempt).rejects.toThrow(
      /CLOUD_URL must be .* \(4105 the origin of the cloud is http:\/\/cloud\.example\)/,
    );
    await started(dataDir, await makeBox(owner, 'Another').then(({ token }) => token));
    expect(await identityIn(dataDir)).toMatchObject({ cloudUrl: cloud.origin });
  });
});
