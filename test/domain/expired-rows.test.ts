import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpiredRows } from '../../src/domain/expired-rows.js';
import type { User } from '../../src/infra/database/index.js';
import { snowflakeAt } from '../../src/infra/ids.js';
import { ManualClock } from '../harness/clock.js';
import { eventually, untilDone } from '../harness/jobs.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { turnsDuring } from '../harness/turns.js';
import { createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = new ManualClock();
let server: TestServer;
let guild: TestGuild;
let person: User;
let bot: TestBot;
let accountId: string;

beforeAll(async () => {
  server = await startServer({ jobs: true, clock });
  guild = await createGuild(server.app);
  person = await createPerson(server.app);
  bot = await createBot(server.app);
  accountId = String(person.id);
  const times = { createdAt: at(0), updatedAt: at(0) };
  await server.app.db.writer.authUser.create({
    data: { id: accountId, userId: person.id, name: 'ada', email: 'ada@example.com', ...times },
  });
  await untilDone(server, 'expired-rows');
});
afterAll(() => server.stop());

/** So long from now; before it where that is negative. */
const at = (ms: number) => new Date(clock.now() + ms);
const remove = (signal = new AbortController().signal) => removeExpiredRows(server.app.db, clock, signal);

let made = 0;
/** An id as if made so long from now. */
const idAt = (ms: number) => snowflakeAt(clock.now() + ms) + BigInt(++made);
const hash = () => createHash('sha256').update(String(++made)).digest('hex');

/** What is made of each kind, and whether it is there still. */
interface Row {
  isThere(): Promise<boolean>;
}

async function session(endsIn: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const times = { expiresAt: at(endsIn), createdAt: at(-DAY), updatedAt: at(-DAY) };
  const { id } = await writer.authSession.create({
    data: { id: randomUUID(), userId: accountId, token: hash(), ...times },
  });
  return { isThere: async () => (await reader.authSession.count({ where: { id } })) === 1 };
}

async function verification(endsIn: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const times = { expiresAt: at(endsIn), createdAt: at(-DAY), updatedAt: at(-DAY) };
  const { id } = await writer.authVerification.create({
    data: { id: randomUUID(), identifier: 'x', value: 'x', ...times },
  });
  return { isThere: async () => (await reader.authVerification.count({ where: { id } })) === 1 };
}

async function invite(endsIn: number | null): Promise<Row> {
  const { writer, reader } = server.app.db;
  const of = { guildId: guild.id, channelId: guild.channel.id, inviterId: guild.owner.id };
  const expiresAt = endsIn === null ? null : at(endsIn);
  const { code } = await writer.invite.create({
    data: { code: hash().slice(0, 8), ...of, createdAt: at(-DAY), expiresAt },
  });
  return { isThere: async () => (await reader.invite.count({ where: { code } })) === 1 };
}

async function enforcedNonce(madeIn: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const { id } = await writer.message.create({
    data: {
      id: idAt(madeIn),
      channelId: guild.channel.id,
      authorId: guild.owner.id,
      content: 'x',
      embeds: [],
      components: [],
      mentionUserIds: [],
      mentionRoleIds: [],
      nonce: 'n',
      enforcedNonceKey: hash(),
    },
  });
  const isThere = async () => {
    const message = await reader.message.findUniqueOrThrow({ where: { id } });
    expect(message.nonce).toBe('n');
    return message.enforcedNonceKey !== null;
  };
  return { isThere };
}

async function deadJob(diedIn: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const { id } = await writer.job.create({ data: { id: idAt(diedIn), kind: 'x', payload: {}, diedAt: at(diedIn) } });
  return { isThere: async () => (await reader.job.count({ where: { id } })) === 1 };
}

/** A grant that was made on the screen long ago, whose code is over and was used. */
async function grant(tokens: { endsIn: number; usedAt?: Date }[], madeIn = -300 * DAY): Promise<Row> {
  const { writer, reader } = server.app.db;
  const data = { id: idAt(madeIn), applicationId: bot.id, userId: person.id, scopes: ['identify'] };
  const { id: grantId } = await writer.oAuthGrant.create({ data });
  const code = { hash: hash(), grantId, expiresAt: at(madeIn + MINUTE), usedAt: at(madeIn) };
  await writer.authorizationCode.create({ data: code });
  for (const { endsIn, usedAt } of tokens) {
    const token = { hash: hash(), grantId, kind: 'REFRESH', expiresAt: at(endsIn), usedAt: usedAt ?? null } as const;
    await writer.oAuthToken.create({ data: token });
  }
  const isThere = async () => {
    const counts = await Promise.all([
      reader.oAuthGrant.count({ where: { id: grantId } }),
      reader.authorizationCode.count({ where: { grantId } }),
      reader.oAuthToken.count({ where: { grantId } }),
    ]);
    expect([
      [0, 0, 0],
      [1, 1, tokens.length],
    ]).toContainEqual(counts);
    return counts[0] === 1;
  };
  return { isThere };
}

const KINDS: [name: string, goes: boolean, make: () => Promise<Row>][] = [
  ['a session that ended a day ago', true, () => session(-DAY)],
  ['a session that ended less than a day ago', false, () => session(-DAY + MINUTE)],
  ['a session that lasts', false, () => session(DAY)],
  ['a verification that ended a day ago', true, () => verification(-DAY)],
  ['a verification that ended less than a day ago', false, () => verification(-DAY + MINUTE)],
  ['an invite that ended a day ago', true, () => invite(-DAY)],
  ['an invite that ended less than a day ago', false, () => invite(-DAY + MINUTE)],
  ['an invite without an end', false, () => invite(null)],
  ['the enforcement of a nonce an hour ago', true, () => enforcedNonce(-HOUR - MINUTE)],
  ['the enforcement of a nonce less than an hour ago', false, () => enforcedNonce(-HOUR + MINUTE)],
  ['a job that died 30 days ago', true, () => deadJob(-30 * DAY)],
  ['a job that died less than 30 days ago', false, () => deadJob(-30 * DAY + MINUTE)],
  ['a grant of which all is over for 30 days', true, () => grant([{ endsIn: -30 * DAY }, { endsIn: -90 * DAY }])],
  ['a grant whose code nobody redeemed, 30 days ago', true, () => grant([], -30 * DAY - 2 * MINUTE)],
  ['a grant whose code was over less than 30 days ago', false, () => grant([], -30 * DAY - MINUTE / 2)],
  ['a grant with a token that was over less than 30 days ago', false, () => grant([{ endsIn: -30 * DAY + MINUTE }])],
  ['a grant with a token that lasts, beside others', false, () => grant([{ endsIn: -90 * DAY }, { endsIn: DAY }])],
  ['a used token of a grant that lasts', false, () => grant([{ endsIn: -DAY, usedAt: at(-DAY) }, { endsIn: DAY }])],
];

describe('rows whose time is over', () => {
  it.each(KINDS)('%s: goes is %s', async (_name, goes, make) => {
    const row = await make();
    expect(await row.isThere()).toBe(true);
    await remove();
    expect(await row.isThere()).toBe(!goes);
  });

  it('go in pieces, between which others have a turn', async () => {
    const rows = await Promise.all(Array.from({ length: 3 }, () => invite(-DAY)));
    const of = { guildId: guild.id, channelId: guild.channel.id, inviterId: guild.owner.id };
    const times = { createdAt: at(-2 * DAY), expiresAt: at(-DAY) };
    const data = Array.from({ length: 700 }, () => ({ code: hash().slice(0, 20), ...of, ...times }));
    await server.app.db.writer.invite.createMany({ data });
    const grants = Array.from({ length: 900 }, () => ({
      id: idAt(-40 * DAY),
      applicationId: bot.id,
      userId: person.id,
      scopes: [],
    }));
    await server.app.db.writer.oAuthGrant.createMany({ data: grants });
    const often = await grant(Array.from({ length: 250 }, () => ({ endsIn: -31 * DAY })));
    const lasting = await grant([{ endsIn: DAY }]);
    expect(await turnsDuring(() => remove())).toBeGreaterThanOrEqual(8);
    expect(await Promise.all(rows.map((row) => row.isThere()))).toEqual([false, false, false]);
    expect(await server.app.db.reader.invite.count({ where: { expiresAt: times.expiresAt } })).toBe(0);
    expect(
      await server.app.db.reader.oAuthGrant.count({ where: { id: { in: grants.slice(0, 300).map(({ id }) => id) } } }),
    ).toBe(0);
    expect(await often.isThere()).toBe(false);
    expect(await lasting.isThere()).toBe(true);
  });

  it('are left where they are by whoever has stopped', async () => {
    const row = await session(-DAY);
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(remove(stop.signal)).rejects.toThrow('stopped');
    expect(await row.isThere()).toBe(true);
  });

  it('go every hour', async () => {
    const row = await session(-DAY);
    clock.advance(HOUR);
    await eventually(async () => expect(await row.isThere()).toBe(false));
    await untilDone(server, 'expired-rows');
    const later = await session(-DAY);
    clock.advance(HOUR);
    await eventually(async () => expect(await later.isThere()).toBe(false));
  });
});
