import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../harness/graphql.js';
import { outboxOf, type SmtpSink, startSmtpSink } from '../harness/mails.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { askAnswer, askInvite, createTeam, inviteToTeam, pendingOf } from '../harness/teams.js';

const INVITE_TESTER = `mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }`;
const ACCEPT_TESTER = `mutation ($i: ApplicationIdInput!) { acceptTesterInvitation(input: $i) { tester { state } } }`;

const linkIn = (body: string) => /^https?:\/\/\S+$/m.exec(body)?.[0] ?? '';

describe('without a mail server, an invitation is written to the outbox', () => {
  let server: TestServer;
  let ada: Person;
  let people = 0;
  const newcomer = () => signUp(server, `person${++people}`);
  beforeAll(async () => {
    server = await startServer();
    ada = await signUp(server, 'ada');
  });
  afterAll(() => server.stop());

  it('to a team: with the inviter, the team, the role and the portal', async () => {
    const bob = await newcomer();
    await inviteToTeam(ada, await createTeam(ada, 'Otters'), bob, 'READ_ONLY');
    const [mail, ...more] = await outboxOf(server, bob.email);
    expect(more).toEqual([]);
    expect(mail?.headers.subject).toEqual(['You are invited to join the team Otters']);
    expect(mail?.body).toContain('ada invited you to join the team "Otters"\non Causeway as a read-only member.');
    expect(mail?.body.split('\n')).toContain(`${server.origin}/portal`);
  });

  it('with a link to the portal', async () => {
    const bob = await newcomer();
    await inviteToTeam(ada, await createTeam(ada), bob);
    const [mail] = await outboxOf(server, bob.email);
    const page = await fetch(linkIn(mail?.body ?? ''));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('/portal/assets/');
  });

  it('to test an application, by user id or by address, but not for the inviter', async () => {
    const [bob, cleo] = [await newcomer(), await newcomer()];
    const bot = await createApplication(ada, 'Otter bot');
    for (const named of [{ userId: bob.id }, { email: cleo.email }, { userId: ada.id }]) {
      await ada.graphql(INVITE_TESTER, { i: { applicationId: bot.id, ...named } });
    }
    for (const person of [bob, cleo]) {
      const [mail, ...more] = await outboxOf(server, person.email);
      expect(more).toEqual([]);
      expect(mail?.headers.subject).toEqual(['You are invited to test Otter bot']);
      expect(mail?.body.split('\n')).toContain(`${server.origin}/portal`);
    }
    expect(await outboxOf(server, ada.email)).toEqual([]);
  });

  it('once for ten at once', async () => {
    const bob = await newcomer();
    const team = await createTeam(ada);
    await Promise.all(Array.from({ length: 10 }, () => askInvite(ada, team, { email: bob.email })));
    expect(await outboxOf(server, bob.email)).toHaveLength(1);
  });

  it('not for a refused invitation', async () => {
    const bob = await newcomer();
    const team = await createTeam(ada);
    expect(codeOf(await askInvite(ada, team, { email: bob.email, role: 'OWNER' }))).toBe('BAD_USER_INPUT');
    expect(codeOf(await askInvite(bob, team, { email: bob.email }))).toBe('NOT_FOUND');
    expect(await outboxOf(server, bob.email)).toEqual([]);
  });

  it('with names that add no headers and no lines', async () => {
    const bob = await newcomer();
    const name = 'a\r\nBcc: eve@people.example\r\n\r\n';
    const { db } = server.app;
    const team = await createTeam(ada);
    await db.writer.team.update({ where: { id: BigInt(team.id) }, data: { name } });
    await inviteToTeam(ada, team, bob);
    const bot = await createApplication(ada);
    await db.writer.application.update({ where: { id: BigInt(bot.id) }, data: { name } });
    await ada.graphql(INVITE_TESTER, { i: { applicationId: bot.id, userId: bob.id } });
    const mails = await outboxOf(server, bob.email);
    expect(mails).toHaveLength(2);
    for (const { headers, body } of mails) {
      expect(Object.keys(headers)).not.toContain('bcc');
      expect(headers.subject?.[0]).toMatch(/a Bcc: eve@people\.example$/);
      expect(body).not.toMatch(/^Bcc/m);
    }
  });

  it('and an outbox that cannot be written does not fail the invitation', async () => {
    const broken = await startServer();
    try {
      const cleo = await signUp(broken, 'cleo');
      const bob = await signUp(broken, 'bob');
      await writeFile(join(broken.app.config.dataDir, 'outbox'), 'not a folder');
      const invitation = await inviteToTeam(cleo, await createTeam(cleo), bob);
      expect(await pendingOf(bob)).toMatchObject({ teams: [invitation] });
    } finally {
      await broken.stop();
    }
  });
});

describe('with a mail server, an invitation', () => {
  let sink: SmtpSink;
  let server: TestServer;
  let ada: Person;
  beforeAll(async () => {
    sink = await startSmtpSink({ refuse: ['nobody@people.example'] });
    server = await startServer({ env: { SMTP_URL: sink.url } });
    ada = await signUp(server, 'ada');
    await sink.next();
  });
  afterAll(async () => {
    await server.stop();
    await sink.close();
  });

  it('is mailed, and can be accepted only after the address is verified', async () => {
    const bob = await signUp(server, 'bob');
    const verification = linkIn((await sink.next()).mail.body);
    const team = await createTeam(ada, 'Otters');
    const bot = await createApplication(ada);
    const invitation = await inviteToTeam(ada, team, bob);
    const { to, mail } = await sink.next();
    expect(to).toEqual([bob.email]);
    expect(linkIn(mail.body)).toBe(`${server.origin}/portal`);
    await ada.graphql(INVITE_TESTER, { i: { applicationId: bot.id, userId: bob.id } });
    expect((await sink.next()).to).toEqual([bob.email]);

    expect(await pendingOf(bob)).toEqual({ teams: [invitation], testers: [bot.id] });
    expect(codeOf(await askAnswer(bob, 'accept', invitation))).toBe('FORBIDDEN');
    expect(codeOf(await bob.ask(ACCEPT_TESTER, { i: { applicationId: bot.id } }))).toBe('FORBIDDEN');
    await fetch(verification, { redirect: 'manual' });
    expect((await askAnswer(bob, 'accept', invitation)).data).toEqual({
      answered: { invitation: { state: 'ACCEPTED' } },
    });
    expect(await bob.graphql(ACCEPT_TESTER, { i: { applicationId: bot.id } })).toEqual({
      acceptTesterInvitation: { tester: { state: 'ACCEPTED' } },
    });
  });

  it('is stored even if the mail server refuses the mail', async () => {
    const nobody = await signUp(server, 'nobody');
    const invitation = await inviteToTeam(ada, await createTeam(ada), nobody);
    expect(await pendingOf(nobody)).toMatchObject({ teams: [invitation] });
  });
});
