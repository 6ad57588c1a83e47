import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpiredRows } from '../../src/domain/expired-rows.js';
import type { InvitationState, User } from '../../src/infra/database/index.js';
import { migrationsFolder } from '../../src/infra/database/migrations.js';
import { boxSnowflakes, ID_SPACES, snowflakeAt } from '../../src/infra/ids/ids.js';
import { ManualClock } from '../harness/clock.js';
import { eventually, untilDone } from '../harness/jobs.js';
import { planOf } from '../harness/plans.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { turnsDuring } from '../harness/turns.js';
import { createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const MIGRATION = '20261122083703_grants_end';

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

const at = (ms: number) => new Date(clock.now() + ms);
const remove = (signal = new AbortController().signal) => removeExpiredRows(server.app.db, clock, signal);

let made = 0;
const idAt = (ms: number) => snowflakeAt(clock.now() + ms) + BigInt(++made);
const hash = () => createHash('sha256').update(String(++made)).digest('hex');

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

async function personalToken(endsIn: number | null): Promise<Row> {
  const { writer, reader } = server.app.db;
  const expiresAt = endsIn === null ? null : at(endsIn);
  const data = { id: idAt(-DAY), userId: person.id, name: 'CI', hash: hash(), last4: 'abcd', expiresAt };
  const { id } = await writer.personalToken.create({ data });
  return { isThere: async () => (await reader.personalToken.count({ where: { id } })) === 1 };
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

async function keptTimeout(endsIn: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const userId = idAt(0);
  await writer.keptTimeout.create({ data: { guildId: guild.id, userId, until: at(endsIn) } });
  return { isThere: async () => (await reader.keptTimeout.count({ where: { userId } })) === 1 };
}

const withNonce = (madeIn: number) => ({
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
});

async function enforcedNonce(madeIn: number, enforcedNonceKey = hash()): Promise<Row> {
  const { writer, reader } = server.app.db;
  const { id } = await writer.message.create({ data: { ...withNonce(madeIn), enforcedNonceKey } });
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

async function boxMeasure(hoursAgo: number): Promise<Row> {
  const { writer, reader } = server.app.db;
  const box = await writer.box.create({ data: { id: idAt(0), name: 'Attic', ownerId: person.id } });
  const of = { boxId: box.id, hour: Math.floor(clock.now() / HOUR) - hoursAgo };
  await writer.boxMeasure.create({ data: { ...of, outcome: 'answered', addedUpToMs: 5, count: 1 } });
  return { isThere: async () => (await reader.boxMeasure.count({ where: { boxId: box.id } })) === 1 };
}

async function invitation(madeIn: number, state: InvitationState): Promise<Row> {
  const { writer, reader } = server.app.db;
  const team = await writer.team.create({ data: { id: idAt(0), name: 'Crew', ownerUserId: guild.owner.id } });
  const of = { teamId: team.id, inviteeId: person.id, inviterId: guild.owner.id, role: 'DEVELOPER' } as const;
  const pendingKey = state === 'PENDING' ? `${team.id}:${person.id}` : null;
  const data = { id: idAt(madeIn), ...of, state, pendingKey, createdAt: at(madeIn) };
  const { id } = await writer.teamInvitation.create({ data });
  return { isThere: async () => (await reader.teamInvitation.count({ where: { id } })) === 1 };
}

async function signUpInvitation(expiresIn: number | null): Promise<Row> {
  const { writer, reader } = server.app.db;
  const expiresAt = expiresIn === null ? null : at(expiresIn);
  const data = { id: idAt(-100 * DAY), hash: hash(), last4: 'wxyz', expiresAt };
  const { id } = await writer.signUpInvitation.create({ data });
  return { isThere: async () => (await reader.signUpInvitation.count({ where: { id } })) === 1 };
}

async function webhook(deletedIn: number | null, guildId = guild.id): Promise<Row> {
  const { writer, reader } = server.app.db;
  const of = { applicationId: bot.id, guildId, channelId: guild.channel.id, creatorId: guild.owner.id };
  const token = { tokenHash: '', tokenPrefix: 'abcd', tokenLast4: 'wxyz' };
  const deletedAt = deletedIn === null ? null : at(deletedIn);
  const data = { id: idAt(-100 * DAY), name: 'News', ...of, ...token, deletedAt };
  const { id } = await writer.webhook.create({ data });
  return { isThere: async () => (await reader.webhook.count({ where: { id } })) === 1 };
}

/** An id that only a box makes. */
const idOfBox = () => boxSnowflakes(clock, ID_SPACES.first)();

/** Creates a grant from long ago, with an expired and used code and these tokens. */
async function grant(tokens: { endsIn: number; usedAt?: Date }[], madeIn = -300 * DAY): Promise<Row> {
  const { writer, reader } = server.app.db;
  const endsAt = at(Math.max(madeIn + MINUTE, ...tokens.map(({ endsIn }) => endsIn)));
  const data = { id: idAt(madeIn), applicationId: bot.id, userId: person.id, scopes: ['identify'], endsAt };
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
  ['a personal token that ended a day ago', true, () => personalToken(-DAY)],
  ['a personal token that ended less than a day ago', false, () => personalToken(-DAY + MINUTE)],
  ['a personal token without an end', false, () => personalToken(null)],
  ['an invite that ended a day ago', true, () => invite(-DAY)],
  ['an invite that ended less than a day ago', false, () => invite(-DAY + MINUTE)],
  ['an invite without an end', false, () => invite(null)],
  ['an accepted invitation from 30 days ago', true, () => invitation(-30 * DAY - MINUTE, 'ACCEPTED')],
  ['a declined invitation from 30 days ago', true, () => invitation(-30 * DAY - MINUTE, 'DECLINED')],
  ['a revoked invitation from 30 days ago', true, () => invitation(-30 * DAY - MINUTE, 'REVOKED')],
  ['an accepted invitation from less than 30 days ago', false, () => invitation(-30 * DAY + MINUTE, 'ACCEPTED')],
  ['a pending invitation from long ago', false, () => invitation(-300 * DAY, 'PENDING')],
  ['an invitation to sign up that ended 30 days ago', true, () => signUpInvitation(-30 * DAY)],
  ['an invitation to sign up that ended less than 30 days ago', false, () => signUpInvitation(-30 * DAY + MINUTE)],
  ['an invitation to sign up without an end', false, () => signUpInvitation(null)],
  ['a webhook that was deleted 30 days ago', true, () => webhook(-30 * DAY)],
  ['a webhook that was deleted less than 30 days ago', false, () => webhook(-30 * DAY + MINUTE)],
  ['a deleted webhook of a server on a box', false, () => webhook(-300 * DAY, idOfBox())],
  ['a webhook', false, () => webhook(null)],
  ['a kept timeout that ended a day ago', true, () => keptTimeout(-DAY)],
  ['a kept timeout that ended less than a day ago', false, () => keptTimeout(-DAY + MINUTE)],
  ['the enforcement of a nonce an hour ago', true, () => enforcedNonce(-HOUR - MINUTE)],
  ['the enforcement of a nonce less than an hour ago', false, () => enforcedNonce(-HOUR + MINUTE)],
  ['the key of a job a week ago', true, () => enforcedNonce(-7 * DAY - MINUTE, `job:${hash()}`)],
  ['the key of a job less than a week ago', false, () => enforcedNonce(-7 * DAY + MINUTE, `job:${hash()}`)],
  ['a job that died 30 days ago', true, () => deadJob(-30 * DAY)],
  ['a job that died less than 30 days ago', false, () => deadJob(-30 * DAY + MINUTE)],
  ['what a box was asked more than two days ago', true, () => boxMeasure(49)],
  ['what a box was asked less than two days ago', false, () => boxMeasure(48)],
  ['a grant of which all is over for 30 days', true, () => grant([{ endsIn: -30 * DAY }, { endsIn: -90 * DAY }])],
  ['a grant whose code nobody redeemed, 30 days ago', true, () => grant([], -30 * DAY - 2 * MINUTE)],
  ['a grant whose code was over less than 30 days ago', false, () => grant([], -30 * DAY - MINUTE / 2)],
  ['a grant with a token that was over less than 30 days ago', false, () => grant([{ endsIn: -30 * DAY + MINUTE }])],
  ['a grant with a token that lasts, beside others', false, () => grant([{ endsIn: -90 * DAY }, { endsIn: DAY }])],
  ['a used token of a grant that lasts', false, () => grant([{ endsIn: -DAY, usedAt: at(-DAY) }, { endsIn: DAY }])],
];

describe('expired rows', () => {
  it.each(KINDS)('%s: is removed: %s', async (_name, goes, make) => {
    const row = await make();
    expect(await row.isThere()).toBe(true);
    await remove();
    expect(await row.isThere()).toBe(!goes);
  });

  it('are removed in batches, and the job yields between them', async () => {
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
      endsAt: at(-39 * DAY),
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

  it('of nonces are found through their index, regardless of the number of messages', async () => {
    const row = await enforcedNonce(-2 * HOUR);
    const asked = (await statementsOf(() => remove())).filter((sql) => /^SELECT.*enforcedNonceKey/s.test(sql));
    expect(await row.isThere()).toBe(false);
    expect(asked).toHaveLength(1);
    const plan = await planOf(server, asked[0] ?? '');
    expect(plan).toMatch(/Message_enforcedNonceKey_key/);
    expect(plan).toMatch(/(enforcedNonceKey>\?|Index Cond: .*"enforcedNonceKey")/);
  });

  it('of nonces are read in batches, completely', async () => {
    const messages = Array.from({ length: 450 }, () => withNonce(-2 * HOUR));
    await server.app.db.writer.message.createMany({ data: messages });
    const asked = (await statementsOf(() => remove())).filter((sql) => /^SELECT.*enforcedNonceKey/s.test(sql));
    expect(asked).toHaveLength(3);
    const where = { id: { in: messages.map(({ id }) => id) }, enforcedNonceKey: { not: null } };
    expect(await server.app.db.reader.message.count({ where })).toBe(0);
  });

  it('of deleted webhooks are found through an index, past those of boxes', async () => {
    const ofBoxes = await Promise.all(Array.from({ length: 150 }, () => webhook(-40 * DAY, idOfBox())));
    const others = await Promise.all(Array.from({ length: 150 }, () => webhook(-35 * DAY)));
    const asked = (await statementsOf(() => remove())).filter((sql) => /^SELECT.*"?Webhook"?/s.test(sql));
    const left = async (rows: Row[]) => (await Promise.all(rows.map((row) => row.isThere()))).filter(Boolean).length;
    expect([await left(ofBoxes), await left(others)]).toEqual([150, 0]);
    expect(asked).toHaveLength(2);
    expect(await planOf(server, asked[0] ?? '')).toMatch(/Webhook_deletedAt_idx/);
  });

  it('of grants are found through the index of their ends, regardless of valid ones', async () => {
    await grant([{ endsIn: -31 * DAY }]);
    const lasting = await Promise.all(Array.from({ length: 20 }, () => grant([{ endsIn: DAY }])));
    const statements = await statementsOf(() => remove());
    const asked = statements.filter((sql) => /^SELECT.*OAuthGrant/s.test(sql));
    expect(await Promise.all(lasting.map((row) => row.isThere()))).not.toContain(false);
    expect(asked).toHaveLength(2);
    expect(await planOf(server, asked[0] ?? '')).toMatch(/OAuthGrant_endsAt_idx/);
    expect(statements.filter((sql) => /^SELECT.*(OAuthToken|AuthorizationCode)/s.test(sql))).toEqual([]);
  });

  it('of grants from before that column get an end from the migration', async () => {
    const { writer, reader } = server.app.db;
    await grant([{ endsIn: -DAY }, { endsIn: -2 * DAY }]);
    await grant([]);
    const ends = () => reader.oAuthGrant.findMany({ select: { id: true, endsAt: true }, orderBy: { id: 'asc' } });
    const before = await ends();
    await writer.oAuthGrant.updateMany({ data: { endsAt: null } });
    const sql = await readFile(join(migrationsFolder(server.app.db.dialect), MIGRATION, 'migration.sql'), 'utf8');
    await writer.$executeRawUnsafe(sql.slice(sql.indexOf('UPDATE')));
    expect(await ends()).toEqual(before);
    expect(before.length).toBeGreaterThanOrEqual(2);
  });

  it('of nonces are removed in batches, past those that stay', async () => {
    const before = await Promise.all(Array.from({ length: 150 }, () => enforcedNonce(-2 * HOUR)));
    const young = await Promise.all(Array.from({ length: 150 }, () => enforcedNonce(-MINUTE)));
    await remove();
    const left = async (rows: Row[]) => (await Promise.all(rows.map((row) => row.isThere()))).filter(Boolean).length;
    expect([await left(before), await left(young)]).toEqual([0, 150]);
  });

  it('stay if the job is aborted', async () => {
    const row = await session(-DAY);
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(remove(stop.signal)).rejects.toThrow('stopped');
    expect(await row.isThere()).toBe(true);
  });

  it('are removed every hour', async () => {
    const row = await session(-DAY);
    clock.advance(HOUR);
    await eventually(async () => expect(await row.isThere()).toBe(false));
    await untilDone(server, 'expired-rows');
    const later = await session(-DAY);
    clock.advance(HOUR);
    await eventually(async () => expect(await later.isThere()).toBe(false));
  });
});
