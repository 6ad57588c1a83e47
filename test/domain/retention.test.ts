import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { jobKinds } from '../../src/domain/jobs.js';
import type { MessageRecord } from '../../src/domain/messages/index.js';
import { type RetentionSettings, removeByAge } from '../../src/domain/retention.js';
import type { Prisma } from '../../src/infra/database/index.js';
import { boxSnowflakes, ID_SPACES, snowflakeAt } from '../../src/infra/ids/ids.js';
import { createOutbox } from '../../src/infra/mail.js';
import { answer, whisper } from '../harness/answers.js';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { planOf } from '../harness/plans.js';
import { statementsOf } from '../harness/statements.js';
import { addMember, callOf, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

let app: AppContext;
let guild: TestGuild;
let bot: TestBot;
it.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
  bot = await createBot(app);
  await addMember(app, guild.id, bot.user);
});

type Retention = RetentionSettings['retention'];

const KEEP_ALL: Retention = { auditLogDays: 0, messageDays: 0, outboxDays: 0 };

/** Runs the removal as if this many milliseconds had passed. */
const remove = (retention: Partial<Retention>, ms: number, signal = new AbortController().signal) =>
  removeByAge(withSettings(retention), Date.now() + ms, signal);
const withSettings = (retention: Partial<Retention>) => ({
  ...app,
  config: { ...app.config, retention: { ...KEEP_ALL, ...retention } },
});

const send = (more?: Parameters<typeof answer>[3]) => answer(app, bot, guild.channel.id, more);
const isThere = async ({ id }: { id: bigint }) => (await app.db.reader.message.count({ where: { id } })) === 1;

async function pin({ id: messageId, channelId }: MessageRecord): Promise<void> {
  await app.db.writer.message.update({
    where: { id: messageId },
    data: { pinned: true, pin: { create: { channelId, pinnedAt: new Date() } } },
  });
}

it('messages are removed with their files and reactions after MESSAGE_DAYS, but pinned ones stay', async () => {
  const blob = await app.blobs.stage(Readable.from([Buffer.from('x')]));
  const message = await send({ files: [{ index: 0, filename: 'a.txt', contentType: 'text/plain', blob }] });
  const messageId = message.id;
  await app.db.writer.reaction.create({
    data: { messageId, emoji: '👍', userId: guild.owner.id, createdAt: new Date() },
  });
  const pinned = await send();
  await pin(pinned);
  const ephemeral = await whisper(app, bot, guild.channel.id, guild.owner.id);
  const key = `attachments/${guild.channel.id}/${message.id}/${message.attachments[0]?.id}`;
  await remove({ messageDays: 30 }, 30 * DAY - HOUR);
  expect([await isThere(message), await isThere(ephemeral), await app.blobs.size(key)]).toEqual([true, true, 1]);
  await remove({ messageDays: 30 }, 30 * DAY + HOUR);
  expect([await isThere(message), await isThere(ephemeral), await app.blobs.size(key)]).toEqual([false, false, null]);
  expect(await app.db.reader.reaction.count({ where: { messageId } })).toBe(0);
  expect([await isThere(pinned), await app.db.reader.pin.count({ where: { messageId: pinned.id } })]).toEqual([
    true,
    1,
  ]);
});

it('messages are removed in batches by id, and the removal continues after an abort', async () => {
  const messages: MessageRecord[] = [];
  for (let n = 0; n < 110; n += 1) messages.push(await send());
  for (const message of messages.slice(0, 3)) await pin(message);
  await expect(remove({ messageDays: 7 }, 8 * DAY, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  const statements = await statementsOf(() => remove({ messageDays: 7 }, 8 * DAY));
  const searches = statements.filter((sql) => /^SELECT.*pinned/s.test(sql));
  expect(searches.length).toBeGreaterThanOrEqual(3);
  expect(await planOf({ app }, searches[0] ?? '')).toMatch(/sqlite_autoindex_Message_1|Message_pkey/);
  const left = await app.db.reader.message.findMany({ where: { id: { in: messages.map(({ id }) => id) } } });
  expect(left.every(({ pinned }) => pinned)).toBe(true);
  expect(left).toHaveLength(3);
});

/** Adds an entry of the time `ms` from now. @returns whether it is there */
async function entry(ms: number, more: Partial<Prisma.AuditEntryUncheckedCreateInput> = {}) {
  const id = snowflakeAt(Date.now() + ms) + (app.nextId() % 1000n);
  const data = { id, guildId: guild.id, action: 'GUILD_UPDATE', changes: {}, ...more };
  await app.db.writer.auditEntry.create({ data });
  return async () => (await app.db.reader.auditEntry.count({ where: { id } })) === 1;
}

async function instanceEntry(ms: number) {
  const id = snowflakeAt(Date.now() + ms) + (app.nextId() % 1000n);
  await app.db.writer.instanceAuditEntry.create({ data: { id, action: 'PERSON_SUSPEND', targetId: 1n, changes: {} } });
  return async () => (await app.db.reader.instanceAuditEntry.count({ where: { id } })) === 1;
}

it('audit log entries are removed after AUDIT_LOG_DAYS, except installations on boxes', async () => {
  const onBox = boxSnowflakes(new ManualClock(Date.now()), ID_SPACES.first)();
  const entries = [
    await entry(-90 * DAY - HOUR),
    await entry(-90 * DAY - HOUR, { action: 'INSTALLATION_PUT' }),
    await entry(-90 * DAY - HOUR, { guildId: onBox }),
    await instanceEntry(-90 * DAY - HOUR),
    await entry(-90 * DAY - HOUR, { guildId: onBox, action: 'INSTALLATION_PUT' }),
    await entry(-90 * DAY + HOUR),
    await instanceEntry(-90 * DAY + HOUR),
  ];
  await remove({ auditLogDays: 90 }, 0);
  const left = await Promise.all(entries.map((isThere) => isThere()));
  expect(left).toEqual([false, false, false, false, true, true, true]);
});

it('more audit log entries than one statement takes are removed, past those that stay', async () => {
  const onBox = boxSnowflakes(new ManualClock(Date.now()), ID_SPACES.first)();
  const first = snowflakeAt(Date.now() - 200 * DAY);
  const data = Array.from({ length: 450 }, (_, n) => ({
    id: first + BigInt(n),
    guildId: n < 210 ? onBox : guild.id,
    action: 'INSTALLATION_PUT',
    changes: {},
  }));
  await app.db.writer.auditEntry.createMany({ data });
  await app.db.writer.instanceAuditEntry.createMany({
    data: data.map(({ id }) => ({ id, action: 'PERSON_SUSPEND', targetId: 1n, changes: {} })),
  });
  await remove({ auditLogDays: 90 }, 0);
  const where = { id: { gte: first, lt: first + 450n } };
  expect(await app.db.reader.auditEntry.count({ where })).toBe(210);
  expect(await app.db.reader.instanceAuditEntry.count({ where })).toBe(0);
});

it('mails in the outbox are removed after OUTBOX_DAYS, but other files stay', async () => {
  const folder = app.config.outboxDir;
  await mkdir(folder, { recursive: true });
  const clock = new ManualClock(Date.now());
  const sender = { from: 'no-reply@causeway.example', clock, log: app.log };
  const write = (to: string) => createOutbox(folder, sender).send({ to, subject: 'Hello', text: 'x' });
  await write('old@people.example');
  await writeFile(join(folder, '.2020-01-02T03-04-05.006Z-x@y.example-abcdef.eml.part'), '');
  await writeFile(join(folder, 'notes.txt'), '');
  clock.advance(2 * HOUR);
  await write('new@people.example');
  await remove({ outboxDays: 30 }, 30 * DAY + HOUR);
  const names = await readdir(folder);
  expect(names.filter((name) => !name.includes('new@people.example'))).toEqual(['notes.txt']);
  expect(names).toHaveLength(2);
  await rm(join(folder, 'notes.txt'));
});

it('without settings, the hourly job keeps messages and audit logs, and removes mails after 30 days', async () => {
  expect(app.config.retention).toEqual({ auditLogDays: 0, messageDays: 0, outboxDays: 30 });
  const message = await send();
  const isEntryThere = await entry(0);
  const isInstanceEntryThere = await instanceEntry(0);
  const sender = { from: 'no-reply@causeway.example', clock: new ManualClock(Date.now()), log: app.log };
  await createOutbox(app.config.outboxDir, sender).send({ to: 'ada@people.example', subject: 'Hello', text: 'x' });
  const kinds = jobKinds({ ...app, callOfNobody: () => callOf(app, guild.owner) });
  const clock = new ManualClock(Date.now() + 3_000 * DAY);
  await kinds['expired-rows'].run({}, { id: 1n, attempt: 1, clock, signal: new AbortController().signal });
  expect([await isThere(message), await isEntryThere(), await isInstanceEntryThere()]).toEqual([true, true, true]);
  expect((await readdir(app.config.outboxDir)).filter((name) => name.endsWith('.eml'))).toEqual([]);
});
