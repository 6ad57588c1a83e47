import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { jobKinds } from '../../../src/domain/jobs.js';
import { removeOldEphemeralMessages } from '../../../src/domain/messages/expired.js';
import type { MessageRecord } from '../../../src/domain/messages/index.js';
import { answer, whisper } from '../../harness/answers.js';
import { ManualClock } from '../../harness/clock.js';
import { it } from '../../harness/fixtures.js';
import { planOf } from '../../harness/plans.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createBot, createGuild, type TestBot, type TestGuild } from '../../harness/world.js';

const HOUR = 60 * 60_000;
const WEEK = 7 * 24 * HOUR;

let app: AppContext;
let guild: TestGuild;
let bot: TestBot;
it.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
  bot = await createBot(app);
  await addMember(app, guild.id, bot.user);
});

const send = (more?: Parameters<typeof whisper>[4]) => whisper(app, bot, guild.channel.id, guild.owner.id, more);
const isThere = async ({ id }: { id: bigint }) => (await app.db.reader.message.count({ where: { id } })) === 1;
/** Runs the hourly job as if this many milliseconds had passed. */
const remove = (ms: number, signal = new AbortController().signal) =>
  removeOldEphemeralMessages(app.db, app.blobs, Date.now() + ms, signal);

it('the job removes an ephemeral message with its file seven days after it was sent, and no other message', async () => {
  const blob = await app.blobs.stage(Readable.from([Buffer.from('x')]));
  const message = await send({ files: [{ index: 0, filename: 'a.txt', contentType: 'text/plain', blob }] });
  const shown = await answer(app, bot, guild.channel.id);
  const key = `attachments/${guild.channel.id}/${message.id}/${message.attachments[0]?.id}`;
  await remove(WEEK - HOUR);
  expect([await isThere(message), await app.blobs.size(key)]).toEqual([true, 1]);
  await remove(WEEK + HOUR);
  expect([await isThere(message), await app.blobs.size(key), await isThere(shown)]).toEqual([false, null, true]);
});

it('the job keeps an ephemeral message for seven days after its last edit', async () => {
  const messages = [await send(), await send()];
  const [edited, plain] = messages as [MessageRecord, MessageRecord];
  const editedAt = new Date(Date.now() + 2 * HOUR);
  await app.db.writer.message.update({ where: { id: edited.id }, data: { editedAt } });
  await remove(WEEK + HOUR);
  expect([await isThere(edited), await isThere(plain)]).toEqual([true, false]);
  await remove(WEEK + 3 * HOUR);
  expect(await isThere(edited)).toBe(false);
});

it('the job removes more messages than one statement takes, skips those that it keeps, and stops on abort', async () => {
  const messages: MessageRecord[] = [];
  for (let n = 0; n < 110; n += 1) messages.push(await send());
  const kept = messages.slice(0, 55);
  const editedAt = new Date(Date.now() + WEEK);
  await app.db.writer.message.updateMany({ where: { id: { in: kept.map(({ id }) => id) } }, data: { editedAt } });
  await expect(remove(WEEK + HOUR, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  await remove(WEEK + HOUR);
  const left = await app.db.reader.message.findMany({ where: { id: { in: messages.map(({ id }) => id) } } });
  expect(left).toHaveLength(kept.length);
});

it('the job is part of the one that removes expired rows', async () => {
  const message = await send();
  const kinds = jobKinds({ ...app, callOfNobody: () => callOf(app, guild.owner) });
  const clock = new ManualClock(Date.now() + WEEK + HOUR);
  await kinds['expired-rows'].run({}, { id: 1n, attempt: 1, clock, signal: new AbortController().signal });
  expect(await isThere(message)).toBe(false);
});

it('the job reads no public messages', async () => {
  await answer(app, bot, guild.channel.id);
  const [search = ''] = await statementsOf(() => remove(WEEK + HOUR));
  expect(await planOf({ app }, search)).toContain('Message_ephemeral_id_idx');
});
