import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import {
  accessBox,
  admitBox,
  BoxSettings,
  boxHolder,
  connectBox,
  createBox,
  deleteBox,
  disconnectBox,
  newEnrolmentToken,
  renameBox,
} from '../../../src/domain/boxes/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { limits } from '../../../src/domain/limits.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import type { User } from '../../../src/infra/database/index.js';
import { ID_SPACES } from '../../../src/infra/ids/ids.js';
import { asBox } from '../../harness/as-box.js';
import { toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { callOf } from '../../harness/world.js';
import { announcedGuild, enrolledBox, newKey } from './scene.js';

let app: AppContext;
let owner: User;
let call: CallContext;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  await app.live.add();
});
beforeEach(async () => {
  owner = await createPerson(app);
  call = callOf(app, owner);
});

const row = (id: bigint) => app.db.reader.box.findUniqueOrThrow({ where: { id } });
const updated = (boxId: bigint) => ({ type: 'BOX_UPDATED', boxId });

const later = (ms: number): CallContext => ({ ...call, clock: { ...call.clock, now: () => app.clock.now() + ms } });

describe('a box', () => {
  test('is created with a recognizable token that is stored as a hash and valid for 7 days (R-14)', async () => {
    const before = app.clock.now();
    const { box, enrolmentToken } = await createBox(call, { name: 'Attic' });
    expect(enrolmentToken).toMatch(/^cwbox_[\w-]{43}$/);
    const kept = await row(box.id);
    expect(kept).toMatchObject({ name: 'Attic', ownerId: owner.id, publicKey: null, idSpace: null, generation: 0 });
    expect(kept.tokenHash).toBe(hashSecret(enrolmentToken));
    const lasts = Number(kept.tokenEndsAt) - before;
    expect(lasts).toBeGreaterThanOrEqual(7 * 86_400_000);
    expect(lasts).toBeLessThan(7 * 86_400_000 + 60_000);
  });

  test('is created in a cloud only, and a box says so in its error', async () => {
    const undo = asBox(app, ID_SPACES.first);
    const made = createBox(callOf(app, owner), { name: 'Attic' });
    undo();
    const words = { code: 'FORBIDDEN', message: 'This instance is a box. Create boxes on its cloud instance.' };
    await expect(made).rejects.toMatchObject(words);
    expect(await app.db.reader.box.count({ where: { ownerId: owner.id } })).toBe(0);
  });

  test('is audited and published on each change, without secrets', async () => {
    const { id } = await enrolledBox(app, owner);
    const told = await toldBy(call, async (noting) => {
      await renameBox(noting, { boxId: id, name: 'Cellar' });
      await renameBox(noting, { boxId: id, name: 'Cellar' });
      await newEnrolmentToken(noting, id);
      await deleteBox(noting, id);
    });
    expect(told.entries).toEqual([
      { action: 'BOX_UPDATE', targetId: id, changes: { name: { old: 'Attic', new: 'Cellar' } } },
      { action: 'BOX_TOKEN_CREATE', targetId: id },
      { action: 'BOX_DELETE', targetId: id, changes: { name: 'Cellar' } },
    ]);
    expect(told.events).toEqual([
      updated(id),
      updated(id),
      { type: 'BOX_ROUTES_UPDATED' },
      { type: 'BOX_DELETED', boxId: id },
    ]);
  });

  test.each([
    ['', false],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
    ['a\nb', false],
    [' Attic ', true],
  ])('can be named %j: %s', (name, isFine) => expect(BoxSettings.safeParse({ name }).success).toBe(isFine));

  test('is unknown to all callers except its owner', async () => {
    const { id } = await enrolledBox(app, owner);
    const other = callOf(app, await createPerson(app));
    for (const attempt of [
      () => accessBox(other, id),
      () => renameBox(other, { boxId: id, name: 'Mine' }),
      () => newEnrolmentToken(other, id),
      () => deleteBox(other, id),
      () => accessBox(call, 1n),
    ]) {
      expect(await outcome(attempt())).toBe('UNKNOWN_BOX');
    }
    expect(await outcome(accessBox(app.callOfNobody(), id))).toBe('UNAUTHENTICATED');
    expect((await accessBox(call, id)).name).toBe('Attic');
  });

  test('is refused beyond 20 per owner, even if several are created at once', async () => {
    const data = Array.from({ length: limits.boxesPerOwner - 1 }, () => ({
      id: app.nextId(),
      name: 'many',
      ownerId: owner.id,
    }));
    await app.db.writer.box.createMany({ data });
    const ended = await Promise.all([1, 2, 3].map(() => outcome(createBox(call, { name: 'Attic' }))));
    expect(ended.toSorted()).toEqual(['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED', 'ok']);
    expect(await app.db.reader.box.count({ where: { ownerId: owner.id } })).toBe(20);
  });
});

describe('R-14: an unknown key is admitted by a token', () => {
  test('once: the token is used up, and then the key suffices', async () => {
    const { box, enrolmentToken: token } = await createBox(call, { name: 'Attic' });
    const key = newKey();
    const told = await toldBy(app.callOfNobody(), (noting) => admitBox(noting, { key, token }));
    expect(told.entries).toEqual([
      { action: 'BOX_ENROL', targetId: box.id, changes: { publicKey: { old: null, new: key } } },
    ]);
    expect(told.events).toEqual([updated(box.id)]);
    expect(await row(box.id)).toMatchObject({ publicKey: key, tokenHash: null, tokenEndsAt: null });
    expect((await admitBox(call, { key }))?.id).toBe(box.id);
    expect(await admitBox(call, { key: newKey(), token })).toBeNull();
  });

  test.each([
    ['without a token', undefined],
    ['with a token that is none', 'cwbox_none'],
    ['with the hash of one', 'hash'],
  ])('but not %s', async (_how, token) => {
    const { box } = await createBox(call, { name: 'Attic' });
    const shown = token === 'hash' ? ((await row(box.id)).tokenHash ?? '') : token;
    expect(await admitBox(call, { key: newKey(), token: shown })).toBeNull();
  });

  test('for at most 7 days', async () => {
    const { enrolmentToken: token } = await createBox(call, { name: 'Attic' });
    const week = 7 * 86_400_000;
    expect(await admitBox(later(week + 60_000), { key: newKey(), token })).toBeNull();
    expect(await admitBox(later(week - 60_000), { key: newKey(), token })).not.toBeNull();
  });

  test('but a known key is admitted regardless of a token, which stays valid', async () => {
    const first = await enrolledBox(app, owner);
    const { box: second, enrolmentToken: token } = await createBox(call, { name: 'Cellar' });
    expect((await admitBox(call, { key: first.key, token }))?.id).toBe(first.id);
    expect((await admitBox(call, { key: newKey(), token }))?.id).toBe(second.id);
  });

  test('and an earlier key is invalid from then on, but not before', async () => {
    const { id, key, row: before } = await enrolledBox(app, owner);
    const { enrolmentToken: stale } = await newEnrolmentToken(call, id);
    const { enrolmentToken: token } = await newEnrolmentToken(call, id);
    expect(await admitBox(call, { key: newKey(), token: stale })).toBeNull();
    expect((await admitBox(call, { key }))?.id).toBe(id);
    const next = newKey();
    expect(await admitBox(call, { key: next, token })).toMatchObject({ id, idSpace: before.idSpace, publicKey: next });
    expect(await admitBox(call, { key })).toBeNull();
  });

  test('and one of several keys that use it at once gets the box', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { box, enrolmentToken: token } = await createBox(call, { name: 'Attic' });
      const keys = Array.from({ length: 5 }, newKey);
      const admitted = await Promise.all(keys.map((key) => admitBox(call, { key, token })));
      const winners = keys.filter((_key, n) => admitted[n] !== null);
      expect(winners).toEqual([(await row(box.id)).publicKey]);
      const entries = { action: 'BOX_ENROL', targetId: box.id };
      expect(await app.db.reader.auditEntry.count({ where: entries })).toBe(1);
    }
  });

  test('and one key that uses it several times at once gets one box', async () => {
    const { box, enrolmentToken: token } = await createBox(call, { name: 'Attic' });
    const key = newKey();
    const admitted = await Promise.all([1, 2, 3].map(() => admitBox(call, { key, token })));
    expect(admitted.map((one) => one?.id)).toEqual([box.id, box.id, box.id]);
  });
});

describe('R-15: an id space', () => {
  const spaces = async () => {
    const boxes = await app.db.reader.box.findMany({ where: { idSpace: { not: null } }, orderBy: { idSpace: 'asc' } });
    return boxes.map(({ idSpace }) => idSpace);
  };

  const forget = async () => {
    await app.db.writer.box.deleteMany();
    await app.db.writer.boxIdSpace.deleteMany();
  };
  const wanting = async (person: User, idSpace?: number) => {
    const { enrolmentToken: token } = await createBox(callOf(app, person), { name: 'Attic' });
    return (await admitBox(call, { key: newKey(), token, idSpace }))?.idSpace;
  };

  test('is the next unused one; only the owner of a deleted box can request its id space', async () => {
    await forget();
    const [first, second, third] = [await enrolledBox(app), await enrolledBox(app), await enrolledBox(app)];
    const { first: lowest } = ID_SPACES;
    expect([first, second, third].map((box) => box.row.idSpace)).toEqual([lowest, lowest + 1, lowest + 2]);
    for (const { id, owner: person } of [second, third]) await deleteBox(callOf(app, person), id);
    expect((await enrolledBox(app)).row.idSpace).toBe(lowest + 3);
    const stranger = await createPerson(app);
    expect(await outcome(wanting(stranger, lowest + 1))).toBe('CONFLICT');
    expect(await wanting(stranger)).toBe(lowest + 4);
    expect(await wanting(second.owner)).toBe(lowest + 5);
    expect(await wanting(second.owner, lowest + 1)).toBe(lowest + 1);
    expect(await outcome(wanting(second.owner, lowest + 1))).toBe('CONFLICT');
    const beyond = [lowest - 1, ID_SPACES.last, ID_SPACES.last + 1, 0, -1];
    for (const [n, none] of beyond.entries()) expect(await wanting(stranger, none)).toBe(lowest + 6 + n);
  });

  test("is one of the owner's free ones after the owner has reached the limit", async () => {
    await forget();
    const person = await createPerson(app);
    const most = limits.idSpacesPerOwner;
    const data = Array.from({ length: most }, (_, n) => ({ number: ID_SPACES.first + n, ownerId: person.id }));
    await app.db.writer.boxIdSpace.createMany({ data });
    expect(await wanting(person)).toBe(ID_SPACES.first);
    expect(await wanting(person)).toBe(ID_SPACES.first + 1);
    expect(await wanting(await createPerson(app))).toBe(ID_SPACES.first + most);
  });

  test('is unique to its box, even if several enrol at once', async () => {
    await forget();
    await Promise.all(Array.from({ length: 8 }, () => enrolledBox(app)));
    expect(await spaces()).toEqual(Array.from({ length: 8 }, (_, n) => ID_SPACES.first + n));
  });

  test('is refused if none is left, and the token stays valid', async () => {
    await forget();
    const { ownerId } = await app.db.writer.boxIdSpace.create({ data: { number: ID_SPACES.last, ownerId: owner.id } });
    const { box, enrolmentToken: token } = await createBox(callOf(app, await createPerson(app)), { name: 'Attic' });
    expect(await outcome(admitBox(call, { key: newKey(), token }))).toBe('LIMIT_EXCEEDED');
    expect(await wanting(await app.db.reader.user.findUniqueOrThrow({ where: { id: ownerId } }))).toBe(ID_SPACES.last);
    await app.db.writer.boxIdSpace.deleteMany();
    expect(await admitBox(call, { key: newKey(), token })).toMatchObject({ id: box.id, idSpace: ID_SPACES.first });
  });
});

describe('R-16: a connection', () => {
  const connect = (id: bigint) => connectBox(app.callOfNobody(), id, { protocolVersion: 1 });

  test('is counted, and held by this process until it ends', async () => {
    const { id } = await enrolledBox(app, owner);
    expect(await boxHolder(app.db.reader, id)).toBeNull();
    expect(await connect(id)).toMatchObject({ generation: 1, holderId: app.live.id, protocolVersion: '1' });
    expect(await boxHolder(app.db.reader, id)).toEqual({ holderId: app.live.id, generation: 1 });
    expect(await disconnectBox(call, { boxId: id, generation: 1 })).toBe(true);
    expect(await boxHolder(app.db.reader, id)).toBeNull();
    expect(await disconnectBox(call, { boxId: id, generation: 1 })).toBe(false);
  });

  test('replaces the previous one, whose end changes nothing', async () => {
    const { id } = await enrolledBox(app, owner);
    await connect(id);
    expect((await connect(id)).generation).toBe(2);
    expect(await disconnectBox(call, { boxId: id, generation: 1 })).toBe(false);
    expect(await boxHolder(app.db.reader, id)).toMatchObject({ generation: 2 });
  });

  test('has a generation of its own, even if several arrive at once', async () => {
    const { id } = await enrolledBox(app, owner);
    const connected = await Promise.all([1, 2, 3, 4, 5].map(() => connect(id)));
    expect(connected.map(({ generation }) => generation).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect((await row(id)).generation).toBe(5);
  });

  test('of a dead process is ignored', async () => {
    const { id } = await enrolledBox(app, owner);
    await connect(id);
    await app.db.writer.box.update({ where: { id }, data: { holderId: 'over' } });
    expect(await boxHolder(app.db.reader, id)).toBeNull();
  });

  test('of a deleted box is refused', async () => {
    const { id } = await enrolledBox(app, owner);
    await deleteBox(call, id);
    expect(await outcome(connect(id))).toBe('UNKNOWN_BOX');
    expect(await disconnectBox(call, { boxId: id, generation: 0 })).toBe(false);
  });
});

describe('a deleted box', () => {
  test('is deleted once by several callers at once, and its key is invalid', async () => {
    const box = await enrolledBox(app, owner);
    await announcedGuild(app, box);
    const ended = await Promise.all([1, 2, 3].map(() => outcome(deleteBox(call, box.id))));
    expect(ended.toSorted()).toEqual(['UNKNOWN_BOX', 'UNKNOWN_BOX', 'ok']);
    expect(await admitBox(call, { key: box.key })).toBeNull();
    expect(await app.db.reader.boxGuild.count({ where: { boxId: box.id } })).toBe(0);
    expect(await app.db.reader.auditEntry.count({ where: { action: 'BOX_DELETE', targetId: box.id } })).toBe(1);
  });
});
