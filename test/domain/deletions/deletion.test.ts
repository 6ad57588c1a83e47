import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MovableClock } from '../../harness/clock.js';
import { columnsWith, untilRemoved } from '../../harness/deletions.js';
import { codeOf } from '../../harness/graphql.js';
import { eventually } from '../../harness/jobs.js';
import { outboxOf } from '../../harness/mails.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../../harness/people.js';
import { putPresence } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addToTeam, createTeam, inviteTester, inviteToTeam } from '../../harness/teams.js';
import { callOf, userOf } from '../../harness/world.js';
import { runBuiltIn } from '../built-in-commands/scene.js';

const DAY_MS = 86_400_000;
const SWEEP_MS = 15 * 60_000;
const DELETE =
  'mutation ($password: String!) { deleteAccount(input: { password: $password }) { deletionAt user { id } } }';
const KEEP = 'mutation { keepAccount { user { deletionAt } } }';
const STATE = `{ accountDeletion { deletionAt days isOperator applications
  servers { name } teams { name } boxes { name } boxServers { name } } }`;

let server: TestServer;
let clock: MovableClock;
let olga: Person;
let round = 0;
let ada: Person;
let bob: Person;
let guild: MadeGuild;

// A server of its own, because the tests move the time and run jobs.
beforeAll(async () => {
  clock = new MovableClock();
  server = await startServer({ clock, jobs: true });
  olga = await signUp(server, 'olga');
  await makeOperator(server, olga);
});
afterAll(() => server.stop());
beforeEach(async () => {
  round += 1;
  ada = await signUp(server, `zephyrine${round}`);
  bob = await signUp(server, `bob${round}`);
  guild = await createGuild(bob, 'Harbour');
});

const remove = (input: object = {}) =>
  olga.ask(OPERATOR_MUTATIONS.deletePerson, { input: { personId: ada.id, reason: 'spam', ...input } });
const act = (name: string, type: string, input: object, by = bob) =>
  by.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, { input });
const signIn = () =>
  fetch(`${server.origin}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ada.email, password: ada.password }),
  });
const messageOf = (answer: { errors: { message: string }[] }) => answer.errors[0]?.message;
const isGone = async () => (await server.app.db.reader.authUser.count({ where: { userId: BigInt(ada.id) } })) === 0;

describe('an operator who deletes a person', () => {
  // Takes seconds, because it makes one of everything, and reads every column of every table three times.
  test('leaves no row that names them', async () => {
    const { app } = server;
    const id = BigInt(ada.id);
    const call = callOf(app, await userOf(app, ada));
    const other = callOf(app, await userOf(app, bob));
    const guildId = guild.id;
    const channelId = guild.textChannelId;
    await ada.graphql('mutation { updateProfile(input: { globalName: "Zéphy (Quux)" }) { user { id } } }');
    const avatarHash = 'abcdefabcdef0123456789abcdef9999';
    await app.db.writer.user.update({ where: { id }, data: { avatarHash } });
    await app.db.writer.authAccount.updateMany({ where: { userId: ada.id }, data: { password: 'hash-of-zeph' } });
    await invite(bob, guild, ada);
    await act('updateMember', 'UpdateMemberInput', { guildId, userId: ada.id, nick: 'Wobblekin' });
    await act('updateMember', 'UpdateMemberInput', { guildId, userId: ada.id, nick: 'Quuxling' });
    const said = await sendMessage(ada, channelId, 'ahoy');
    await act('addReaction', 'ReactionInput', { channelId, messageId: said, emoji: '👍' }, ada);
    await runBuiltIn(call, BigInt(channelId), 'remindme', { when: '10m', about: `tea with ${ada.name}` });
    await runBuiltIn(call, BigInt(channelId), 'afk', { message: 'Quuxling sleeps' });
    await runBuiltIn(other, BigInt(channelId), 'userinfo', { user: ada.id });
    await runBuiltIn(other, BigInt(channelId), 'avatar', { user: ada.id });
    const team = await createTeam(bob, `Team ${round}`);
    await addToTeam(bob, team, ada, 'ADMIN');
    await inviteToTeam(bob, await createTeam(bob, `Other ${round}`), ada);
    const bot = await createApplication(bob, 'Helper');
    await install(bob, bot, guild);
    await inviteTester(bob, bot, ada);
    await createApplication(ada, 'Their bot');
    await ada.graphql('mutation { createPersonalToken(input: { name: "zephyrine CI" }) { token } }');
    await putPresence(app, await userOf(app, ada));
    const second = await createGuild(bob, 'Second');
    await invite(bob, second, ada);
    const reason = `${ada.name} alias Quuxling, ${ada.email}`;
    await act('banMember', 'BanMemberInput', { guildId: second.id, userId: ada.id, reason });
    const third = await createGuild(bob, 'Third');
    await invite(bob, third, ada);
    const greeting = { guildId: BigInt(third.id), channelId: BigInt(third.textChannelId) };
    await app.db.writer.greeting.create({ data: { ...greeting, kind: 'GOODBYE', message: '{user} left' } });
    await act('kickMember', 'MemberIdInput', { guildId: third.id, userId: ada.id, reason });
    await eventually(async () => {
      const goodbye = await app.db.reader.message.findFirst({ where: { channelId: greeting.channelId } });
      expect(goodbye?.content).toBe('**Zéphy (Quux)** left');
    });
    await olga.graphql(OPERATOR_MUTATIONS.suspendPerson, {
      input: { personId: ada.id, text: `Dear ${ada.name}`, reason },
    });
    await olga.graphql(OPERATOR_MUTATIONS.restorePerson, { input: { personId: ada.id, reason } });
    const texts = [ada.name, ada.email, 'Zéphy', 'Quux', 'Wobblekin', avatarHash, 'hash-of-zeph'];
    expect((await columnsWith(server.app, texts)).length).toBeGreaterThan(20);

    expect((await remove({ reason })).errors).toEqual([]);
    expect(codeOf(await ada.ask('{ applications { id } }'))).toBe('UNAUTHENTICATED');
    expect((await signIn()).status).toBe(401);
    await untilRemoved(server.app);
    // The names are needed until the last request of that time is over.
    const early = await columnsWith(server.app, texts);
    expect(early.filter((found) => !found.startsWith('Job.payload'))).toEqual([]);
    clock.advance(SWEEP_MS);
    await untilRemoved(server.app);
    expect(await columnsWith(server.app, texts)).toEqual([]);

    const shown = await bob.graphql(
      'query ($id: ID!) { channel(id: $id) { messages(last: 100) { edges { node { content author { username } } } } } }',
      { id: channelId },
    );
    const messages = shown.channel.messages.edges.map(({ node }: never) => node);
    expect(messages).toContainEqual({ content: 'ahoy', author: { username: 'Deleted User' } });
    expect((await instanceLog(olga))[0]).toBe(
      'PERSON_DELETE | olga |  | Deleted User alias Deleted User, Deleted User',
    );
    const again = await signUp(server, ada.name);
    expect(again.id).not.toBe(ada.id);
  });

  test('leaves roles, ids and times in the logs, although the person was called like them', async () => {
    const { app } = server;
    await ada.graphql('mutation { updateProfile(input: { globalName: "Admin" }) { user { id } } }');
    await addToTeam(bob, await createTeam(bob, `Team ${round}`), ada, 'ADMIN');
    await invite(bob, guild, ada);
    const nick = guild.textChannelId;
    await act('updateMember', 'UpdateMemberInput', { guildId: guild.id, userId: ada.id, nick });
    const messageId = await sendMessage(ada, guild.textChannelId, 'ahoy');
    await act('deleteMessage', 'MessageIdInput', { channelId: guild.textChannelId, messageId });
    const logged = () =>
      app.db.reader.auditEntry.findMany({
        where: { targetId: BigInt(ada.id), action: { not: 'MEMBER_UPDATE' } },
        orderBy: { id: 'asc' },
      });
    const before = await logged();
    expect(before.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['TEAM_INVITATION_ACCEPT', 'MESSAGE_DELETE']),
    );
    expect((await remove()).errors).toEqual([]);
    await untilRemoved(server.app);
    expect(await logged()).toEqual(before);
  });

  test('removes messages, files and reactions only if asked to, and clients hear of it', async () => {
    await invite(bob, guild, ada);
    const said = await sendMessage(ada, guild.textChannelId, 'ahoy');
    const theirs = await sendMessage(bob, guild.textChannelId, 'hello');
    const input = { channelId: guild.textChannelId, messageId: theirs, emoji: '👍' };
    await act('addReaction', 'ReactionInput', input, ada);
    const { data } = await remove({ withMessages: true });
    expect(data.operatorDeletePerson.deletion.state).toMatch(/RUNNING|DONE/);
    await untilRemoved(server.app);
    const { db } = server.app;
    expect(await db.reader.message.count({ where: { id: BigInt(said) } })).toBe(0);
    expect(await db.reader.reaction.count({ where: { messageId: BigInt(theirs) } })).toBe(0);
    const progress = 'query ($id: ID!) { instance { personDeletion(id: $id) { state messages servers } } }';
    expect((await olga.graphql(progress, { id: ada.id })).instance.personDeletion).toEqual({
      state: 'DONE',
      messages: 0,
      servers: 0,
    });
    expect(codeOf(await bob.ask(progress, { id: ada.id }))).toBe('NOT_FOUND');
  });

  test('deletes what they own only if asked to, and reads what that is', async () => {
    const own = await createGuild(ada, 'Own harbour');
    const team = await createTeam(ada, 'Otters');
    await addToTeam(ada, team, bob, 'ADMIN');
    const refused = await remove();
    expect([codeOf(refused), messageOf(refused)]).toEqual([
      'CONFLICT',
      `${ada.name} owns the server Own harbour, the team Otters. Hand them over first, or delete them with the person.`,
    ]);
    expect((await remove({ withOwned: true })).errors).toEqual([]);
    await untilRemoved(server.app);
    const { db } = server.app;
    expect(await db.reader.guild.count({ where: { id: BigInt(own.id), deletedAt: null } })).toBe(0);
    expect(await db.reader.team.count({ where: { id: BigInt(team.id) } })).toBe(0);
  });

  test('cannot delete operators, and no one else can delete at all', async () => {
    const input = { personId: ada.id, reason: 'spam' };
    expect(codeOf(await bob.ask(OPERATOR_MUTATIONS.deletePerson, { input }))).toBe('NOT_FOUND');
    await makeOperator(server, ada, 'MODERATOR');
    expect(codeOf(await remove())).toBe('CONFLICT');
    const ofBob = { ...input, personId: bob.id, withOwned: true };
    expect(codeOf(await ada.ask(OPERATOR_MUTATIONS.deletePerson, { input: ofBob }))).toBeUndefined();
  });
});

describe('a person who deletes their account', () => {
  const askDelete = (password = ada.password) => ada.ask(DELETE, { password });

  test('can keep it until the time has come, and goes then', async () => {
    await createApplication(ada, 'Their bot');
    expect(codeOf(await askDelete('wrong password'))).toBe('BAD_USER_INPUT');
    const { data } = await askDelete();
    const at = Date.parse(data.deleteAccount.deletionAt);
    expect(at - clock.now()).toBeGreaterThan(13.9 * DAY_MS);
    expect((await ada.graphql(STATE)).accountDeletion).toMatchObject({
      deletionAt: data.deleteAccount.deletionAt,
      applications: 1,
      servers: [],
    });
    const seen = await olga.graphql('query ($id: ID!) { instance { person(id: $id) { deletionAt } } }', { id: ada.id });
    expect(seen.instance.person.deletionAt).toBe(data.deleteAccount.deletionAt);
    const [mail] = await outboxOf(server, ada.email);
    expect(mail?.headers.subject).toEqual(['Your account will be deleted']);
    expect(mail?.body).toContain(`${server.app.addresses.publicUrl}/portal/account`);
    expect((await ada.graphql(KEEP)).keepAccount.user.deletionAt).toBeNull();
    await askDelete();
    clock.advance(13 * DAY_MS);
    expect(await isGone()).toBe(false);
    clock.advance(DAY_MS + 2 * 3_600_000);
    await eventually(async () => expect(await isGone()).toBe(true));
    await untilRemoved(server.app);
    const apps = await server.app.db.reader.application.count({
      where: { ownerUserId: BigInt(ada.id), deletedAt: null },
    });
    expect(apps).toBe(0);
    expect(codeOf(await ada.ask('{ me { id } }'))).toBeUndefined();
    expect((await ada.graphql('{ me { id } }')).me).toBeNull();
  });

  test('still have it between the due time and the job, and can keep it', async () => {
    const where = { userId: BigInt(ada.id) };
    // The job runs every hour.
    await server.app.db.writer.authUser.update({ where, data: { deletionAt: new Date(clock.now()) } });
    expect((await askDelete()).data.deleteAccount.user).toEqual({ id: ada.id });
    expect((await ada.graphql(KEEP)).keepAccount.user.deletionAt).toBeNull();
  });

  test('must hand over what they own first, also what they got in the meantime', async () => {
    const team = await createTeam(ada, 'Otters');
    await createGuild(ada, 'Own harbour');
    const refused = await askDelete();
    expect(messageOf(refused)).toBe(
      'You own the server Own harbour, the team Otters. Hand them over or delete them first.',
    );
    expect((await ada.graphql(STATE)).accountDeletion).toMatchObject({
      servers: [{ name: 'Own harbour' }],
      teams: [{ name: 'Otters' }],
    });
    await act('deleteTeam', 'TeamIdInput', { teamId: team.id }, ada);
    await server.app.db.writer.guild.updateMany({
      where: { ownerId: BigInt(ada.id) },
      data: { ownerId: BigInt(bob.id) },
    });
    expect((await askDelete()).errors).toEqual([]);
    await createGuild(ada, 'New harbour');
    clock.advance(14 * DAY_MS + 2 * 3_600_000);
    await eventually(async () => {
      const mails = await outboxOf(server, ada.email);
      expect(mails.at(-1)?.headers.subject).toEqual(['Your account was not deleted']);
      expect(mails.at(-1)?.body).toContain('the server New harbour');
    });
    expect(await isGone()).toBe(false);
  });
});
