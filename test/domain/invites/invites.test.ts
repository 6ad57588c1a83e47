import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Permission } from '../../../src/domain/permissions.js';
import { ManualClock } from '../../harness/clock.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { permitEveryone } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { faultsOf } from '../../harness/settings.js';

const DAY = 86_400;

const clock = new ManualClock();
let server: TestServer;
let owner: Person;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
beforeAll(async () => {
  server = await startServer({ clock });
  [owner, ada, bob] = await Promise.all([signUp(server, 'owner'), signUp(server, 'ada'), signUp(server, 'bob')]);
});
beforeEach(async () => {
  guild = await createGuild(owner);
});
afterAll(() => server.stop());

const CREATE = `mutation ($channelId: ID!, $maxAge: Int, $maxUses: Int) {
  createInvite(input: { channelId: $channelId }, maxAge: $maxAge, maxUses: $maxUses) {
    code invite { code url channel { id } inviter { id } uses maxUses createdAt expiresAt }
  }
}`;
const DELETE = `mutation ($code: String!) { deleteInvite(input: { code: $code }) { id } }`;
const LIST = `query ($id: ID!) { guild(id: $id) { invites { code channel { id } inviter { id } uses } } }`;
const JOIN = `mutation ($code: String!) { joinGuild(input: { code: $code }) { guild { id } } }`;
const LEAVE = `mutation ($guildId: ID!) { leaveGuild(input: { guildId: $guildId }) { id } }`;

async function make(person: Person, options: { maxAge?: number; maxUses?: number } = {}): Promise<Loose> {
  const { createInvite } = await person.graphql(CREATE, { channelId: guild.textChannelId, ...options });
  return createInvite.invite;
}

const join = (person: Person, code: string) => person.ask(JOIN, { code });
const remove = (person: Person, code: string) => person.ask(DELETE, { code });

async function listed(person: Person): Promise<string[]> {
  const { guild: found } = await person.graphql(LIST, { id: guild.id });
  return found.invites.map(({ code }: { code: string }) => code).sort();
}

const membersOf = ({ id }: MadeGuild) => server.app.db.reader.member.count({ where: { guildId: BigInt(id) } });

const permit = (permissions: bigint) => permitEveryone(server.app, BigInt(guild.id), permissions);

describe('an invite', () => {
  it('is valid for a day by default', async () => {
    const made = await make(owner);
    expect(made).toEqual({
      code: expect.stringMatching(/^\w{8}$/),
      url: `${server.origin}/invite/${made.code}`,
      channel: { id: guild.textChannelId },
      inviter: { id: owner.id },
      uses: 0,
      maxUses: 0,
      createdAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + DAY * 1000).toISOString(),
    });
    clock.advance(DAY * 1000 - 1);
    expect((await join(ada, made.code)).errors).toEqual([]);
    expect((await fetch(made.url)).status).toBe(200);
    clock.advance(1);
    expect(codeOf(await join(bob, made.code))).toBe('NOT_FOUND');
    expect(await listed(owner)).toEqual([]);
    expect(codeOf(await remove(owner, made.code))).toBe('NOT_FOUND');
  });

  it('is valid for the requested time, at most a week, or forever', async () => {
    const [short, week, endless] = [
      await make(owner, { maxAge: 1 }),
      await make(owner, { maxAge: 7 * DAY }),
      await make(owner, { maxAge: 0 }),
    ];
    expect(endless.expiresAt).toBeNull();
    clock.advance(1000);
    expect(await listed(owner)).toEqual([week.code, endless.code].sort());
    clock.advance(7 * DAY * 1000);
    expect(await listed(owner)).toEqual([endless.code]);
    // Creating an invite deletes expired ones.
    await make(owner);
    expect(await server.app.db.reader.invite.count({ where: { code: { in: [short.code, week.code] } } })).toBe(0);
    expect((await join(ada, endless.code)).errors).toEqual([]);
  });

  it.each([
    [{ maxAge: 7 * DAY + 1 }, { maxAge: ['NUMBER_TYPE_MAX'] }],
    [{ maxAge: -1 }, { maxAge: ['NUMBER_TYPE_MIN'] }],
    [{ maxUses: 101 }, { maxUses: ['NUMBER_TYPE_MAX'] }],
    [{ maxUses: -1 }, { maxUses: ['NUMBER_TYPE_MIN'] }],
  ])('is refused with %o', async (options, faults) => {
    const answer = await owner.ask(CREATE, { channelId: guild.textChannelId, ...options });
    expect(faultsOf(answer)).toEqual(faults);
  });

  it('admits as many users as allowed, even if more join at once', async () => {
    const { code } = await make(owner, { maxUses: 1 });
    const people = await Promise.all(Array.from({ length: 12 }, (_, n) => signUp(server, `racer${n}`)));
    const answers = await Promise.all(people.map((person) => join(person, code)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    for (const answer of answers) if (answer.errors.length > 0) expect(codeOf(answer)).toBe('NOT_FOUND');
    expect(await membersOf(guild)).toBe(2);
    expect(await server.app.db.reader.invite.count({ where: { code } })).toBe(0);
  });

  it('is not used up by members', async () => {
    const { code } = await make(owner, { maxUses: 2 });
    for (let time = 0; time < 3; time += 1) expect((await join(ada, code)).errors).toEqual([]);
    expect((await join(bob, code)).errors).toEqual([]);
    expect(await membersOf(guild)).toBe(3);
  });

  it('stays valid after its creator leaves, and can be deleted by members who manage the server', async () => {
    await invite(owner, guild, ada);
    const { code } = await make(ada);
    await ada.graphql(LEAVE, { guildId: guild.id });
    expect((await join(bob, code)).errors).toEqual([]);
    expect(codeOf(await remove(ada, code))).toBe('NOT_FOUND');
    expect((await remove(owner, code)).data).toEqual({ deleteInvite: { id: code } });
    expect(codeOf(await join(ada, code))).toBe('NOT_FOUND');
  });

  it('is refused in a server that has a thousand', async () => {
    const row = { guildId: BigInt(guild.id), channelId: BigInt(guild.textChannelId), inviterId: BigInt(owner.id) };
    const createdAt = new Date(clock.now());
    const data = Array.from({ length: 1_000 }, (_, n) => ({ ...row, code: `room${guild.id}${n}`, createdAt }));
    await server.app.db.writer.invite.createMany({ data });
    const answer = await owner.ask(CREATE, { channelId: guild.textChannelId });
    expect(answer.errors[0]?.message).toBe('Maximum number of invites reached (1000)');
    const where = { code: data[0]?.code ?? '' };
    await server.app.db.writer.invite.update({ where, data: { expiresAt: createdAt } });
    expect((await owner.ask(CREATE, { channelId: guild.textChannelId })).errors).toEqual([]);
  });
});

describe('deleting an invite', () => {
  it('is limited to its creator and to members who manage its channel or the server', async () => {
    const [mine, of1, of2, of3] = [await make(owner), await make(owner), await make(owner), await make(owner)];
    await invite(owner, guild, ada);
    expect(codeOf(await remove(ada, mine.code))).toBe('FORBIDDEN');
    expect(codeOf(await remove(bob, mine.code))).toBe('NOT_FOUND');
    expect(codeOf(await remove(owner, 'no such code'))).toBe('NOT_FOUND');
    const own = await make(ada);
    expect(await listed(ada)).toEqual([own.code]);
    expect((await remove(ada, own.code)).errors).toEqual([]);
    for (const [permissions, { code }] of [
      [Permission.ManageChannels, of1],
      [Permission.ManageGuild, of2],
      [Permission.Administrator, of3],
    ] as const) {
      await permit(Permission.ViewChannel | permissions);
      expect(await listed(ada)).toContain(code);
      expect((await remove(ada, code)).errors).toEqual([]);
      expect(codeOf(await remove(ada, code))).toBe('NOT_FOUND');
    }
    await permit(Permission.ViewChannel);
    expect(await listed(ada)).toEqual([]);
    expect((await join(bob, mine.code)).errors).toEqual([]);
  });

  it('happens once for six requests at the same time, and is audited', async () => {
    const { code } = await make(owner);
    const answers = await Promise.all(Array.from({ length: 6 }, () => remove(owner, code)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    const where = { guildId: BigInt(guild.id), action: { in: ['INVITE_CREATE', 'INVITE_DELETE'] } };
    const entries = await server.app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
      ['INVITE_CREATE', { code, maxAge: DAY, maxUses: 0, temporary: false }],
      ['INVITE_DELETE', { code, inviterId: owner.id, maxAge: DAY, maxUses: 0, uses: 0, temporary: false }],
    ]);
  });
});

it('bots receive the creation of an invite with its limits, and its deletion', async () => {
  const application = await createApplication(owner);
  await install(owner, application, guild, { permissions: String(Permission.ManageChannels) });
  const client = await GatewayClient.open(server.origin);
  await client.ready(application.botToken);
  const once = await make(owner, { maxAge: 60, maxUses: 1 });
  expect((await client.event('INVITE_CREATE')).d).toMatchObject({
    code: once.code,
    max_age: 60,
    max_uses: 1,
    uses: 0,
    expires_at: expect.any(String),
  });
  const where = { channel_id: guild.textChannelId, guild_id: guild.id };
  await join(ada, once.code);
  expect((await client.event('INVITE_DELETE')).d).toEqual({ ...where, code: once.code });
  const endless = await make(owner, { maxAge: 0 });
  expect((await client.event('INVITE_CREATE')).d).toMatchObject({ max_age: 0, max_uses: 0, expires_at: null });
  await remove(owner, endless.code);
  expect((await client.event('INVITE_DELETE')).d).toEqual({ ...where, code: endless.code });
  client.socket.close();
});
