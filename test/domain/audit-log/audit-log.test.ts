import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import type { Loose } from '../../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { update, uploadIcon } from '../../harness/settings.js';
import {
  acceptInvitation,
  addToTeam,
  askAnswer,
  askTeamUser,
  createTeam,
  inviteToTeam,
  type MadeTeam,
  removeFromTeam,
  renameTeam,
  setTeamRole,
  transferApplication,
} from '../../harness/teams.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let cleo: Person;
let eve: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob, cleo, eve] = await Promise.all([
    signUp(server, 'ada'),
    signUp(server, 'bob'),
    signUp(server, 'cleo'),
    signUp(server, 'eve'),
  ]);
});

const PAGE = `edges { cursor node { id actor { id } action target changes createdAt } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

interface Entry {
  id: string;
  actor: { id: string } | null;
  action: string;
  target: string | null;
  changes: Loose;
  createdAt: string;
}

const entriesOf = (log: Loose): Entry[] => log.edges.map(({ node }: { node: Entry }) => node);

async function teamLog(person: Person, team: MadeTeam, args = '(first: 100)'): Promise<Loose> {
  const { team: found } = await person.graphql(`query ($id: ID!) { team(id: $id) { auditLog${args} { ${PAGE} } } }`, {
    id: team.id,
  });
  return found.auditLog;
}

async function applicationLog(person: Person, { id }: { id: string }, args = '(first: 100)'): Promise<Loose> {
  const { application } = await person.graphql(
    `query ($id: ID!) { application(id: $id) { auditLog${args} { ${PAGE} } } }`,
    { id },
  );
  return application.auditLog;
}

const told = (entries: Entry[]) =>
  entries.map(({ actor, action, target, changes }) => [nameOf(actor?.id), action, nameOf(target), changes]);

const names = new Map<string, string>();
const nameOf = (id: string | null | undefined) => (id ? (names.get(id) ?? id) : null);

async function on(person: Person, mutation: string, input: object): Promise<Loose> {
  const name = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const inputs: Record<string, string> = {
    acceptTesterInvitation: 'ApplicationIdInput',
    declineTesterInvitation: 'ApplicationIdInput',
    resetClientSecret: 'ApplicationIdInput',
    resetBotToken: 'ApplicationIdInput',
    removeTester: 'ApplicationUserInput',
  };
  const shown: Record<string, string> = {
    inviteTester: 'tester { state }',
    acceptTesterInvitation: 'tester { state }',
    resetClientSecret: 'clientSecret',
    resetBotToken: 'botToken',
  };
  const data = await person.graphql(
    `mutation ($input: ${inputs[mutation] ?? `${name}Input`}!) { ${mutation}(input: $input) { ${shown[mutation] ?? 'id'} } }`,
    { input },
  );
  return data[mutation];
}

describe('the audit log of a team', () => {
  it('shows the actor, the action, the target and the changes', async () => {
    const team = await createTeam(ada, 'Otters');
    for (const { id, name } of [ada, bob, cleo, team]) names.set(id, name);
    await renameTeam(ada, team, 'Badgers');
    await acceptInvitation(bob, await inviteToTeam(ada, team, bob, 'ADMIN'));
    await askAnswer(cleo, 'decline', await inviteToTeam(bob, team, cleo, 'READ_ONLY'));
    await askAnswer(ada, 'revoke', await inviteToTeam(bob, team, cleo, 'DEVELOPER'));
    await addToTeam(bob, team, cleo, 'DEVELOPER');
    await setTeamRole(bob, team, cleo, 'ADMIN');
    await askTeamUser(ada, 'transferTeamOwnership', team, bob);
    await removeFromTeam(bob, team, cleo);
    await removeFromTeam(ada, team, ada);
    expect(told(entriesOf(await teamLog(bob, team)))).toEqual([
      ['ada', 'TEAM_CREATE', 'Otters', { name: 'Otters' }],
      ['ada', 'TEAM_UPDATE', 'Otters', { name: { old: 'Otters', new: 'Badgers' } }],
      ['ada', 'TEAM_INVITATION_CREATE', 'bob', { role: 'ADMIN' }],
      ['bob', 'TEAM_INVITATION_ACCEPT', 'bob', { role: 'ADMIN' }],
      ['bob', 'TEAM_INVITATION_CREATE', 'cleo', { role: 'READ_ONLY' }],
      ['cleo', 'TEAM_INVITATION_DECLINE', 'cleo', { role: 'READ_ONLY' }],
      ['bob', 'TEAM_INVITATION_CREATE', 'cleo', { role: 'DEVELOPER' }],
      ['ada', 'TEAM_INVITATION_REVOKE', 'cleo', { role: 'DEVELOPER' }],
      ['bob', 'TEAM_INVITATION_CREATE', 'cleo', { role: 'DEVELOPER' }],
      ['cleo', 'TEAM_INVITATION_ACCEPT', 'cleo', { role: 'DEVELOPER' }],
      ['bob', 'TEAM_MEMBER_UPDATE', 'cleo', { role: { old: 'DEVELOPER', new: 'ADMIN' } }],
      ['ada', 'TEAM_TRANSFER_OWNERSHIP', 'bob', { ownerUserId: { old: ada.id, new: bob.id } }],
      ['bob', 'TEAM_MEMBER_REMOVE', 'cleo', { role: 'ADMIN' }],
      ['ada', 'TEAM_MEMBER_LEAVE', 'ada', { role: 'ADMIN' }],
    ]);
  });

  it('has the earlier and later entries of an application that is transferred to it', async () => {
    const team = await createTeam(ada);
    await addToTeam(ada, team, bob, 'DEVELOPER');
    const bot = await createApplication(ada, 'Otter bot');
    await update(ada, bot.id, { description: 'before' });
    const isOfBot = ({ target }: Entry) => target === bot.id;
    expect(entriesOf(await teamLog(bob, team)).filter(isOfBot)).toEqual([]);
    await transferApplication(ada, bot, team);
    await on(bob, 'resetBotToken', { applicationId: bot.id });
    const told = entriesOf(await teamLog(bob, team)).filter(isOfBot);
    expect(told.map(({ action, actor }) => [action, actor?.id])).toEqual([
      ['APPLICATION_CREATE', ada.id],
      ['APPLICATION_UPDATE', ada.id],
      ['APPLICATION_TRANSFER', ada.id],
      ['BOT_TOKEN_RESET', bob.id],
    ]);
    expect(entriesOf(await applicationLog(bob, bot))).toEqual(told);
  });

  it('shows the application of each entry, even after that application is deleted', async () => {
    const team = await createTeam(ada);
    const [first, second] = [await createApplication(ada, 'First'), await createApplication(ada, 'Second')];
    await transferApplication(ada, first, team);
    await transferApplication(ada, second, team);
    await on(ada, 'inviteTester', { applicationId: second.id, userId: bob.id });
    await on(ada, 'deleteApplication', { applicationId: first.id, name: 'First' });
    const { team: found } = await ada.graphql(
      `query ($id: ID!) { team(id: $id) { auditLog { edges { node { action target application { id name } } } } } }`,
      { id: team.id },
    );
    const entries = found.auditLog.edges.map(({ node }: Loose) => node);
    expect(entries.filter(({ action }: Loose) => action !== 'APPLICATION_CREATE')).toEqual([
      { action: 'TEAM_CREATE', target: team.id, application: null },
      { action: 'APPLICATION_TRANSFER', target: first.id, application: { id: first.id, name: 'First' } },
      { action: 'APPLICATION_TRANSFER', target: second.id, application: { id: second.id, name: 'Second' } },
      { action: 'TESTER_INVITE', target: bob.id, application: { id: second.id, name: 'Second' } },
      { action: 'APPLICATION_DELETE', target: first.id, application: { id: first.id, name: 'First' } },
    ]);
  });

  it('is shown to every member, and is empty for an invited user', async () => {
    const team = await createTeam(ada);
    await addToTeam(ada, team, bob, 'READ_ONLY');
    expect(entriesOf(await teamLog(bob, team))).toHaveLength(3);
    await inviteToTeam(ada, team, eve);
    const { portalHome } = await eve.graphql(`{ portalHome { teamInvitations { team { auditLog { ${PAGE} } } } } }`);
    expect(portalHome.teamInvitations.map(({ team: met }: Loose) => met.auditLog.edges)).toEqual([[]]);
    const { errors } = await eve.ask(`query ($id: ID!) { team(id: $id) { auditLog { ${PAGE} } } }`, { id: team.id });
    expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
    await removeFromTeam(ada, team, bob);
    const gone = await bob.ask(`query ($id: ID!) { team(id: $id) { auditLog { ${PAGE} } } }`, { id: team.id });
    expect(gone.errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('is paginated from either end without duplicates or gaps', async () => {
    const team = await createTeam(ada, 'Page 0');
    for (let n = 1; n <= 6; n += 1) await renameTeam(ada, team, `Page ${n}`);
    const all = entriesOf(await teamLog(ada, team));
    expect(all).toHaveLength(7);
    const ids = all.map(({ id }) => BigInt(id));
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    const seen: Entry[] = [];
    let args = '(first: 3)';
    for (;;) {
      const page = await teamLog(ada, team, args);
      seen.push(...entriesOf(page));
      if (!page.pageInfo.hasNextPage) break;
      args = `(first: 3, after: "${page.pageInfo.endCursor}")`;
    }
    expect(seen).toEqual(all);
    const newest = await teamLog(ada, team, '(last: 2)');
    expect(entriesOf(newest)).toEqual(all.slice(-2));
    expect(newest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const before = await teamLog(ada, team, `(last: 2, before: "${newest.pageInfo.startCursor}")`);
    expect(entriesOf(before)).toEqual(all.slice(-4, -2));
  });

  it('has the time of each entry, and refuses invalid pages', async () => {
    const team = await createTeam(ada);
    const [entry] = entriesOf(await teamLog(ada, team));
    expect(Math.abs(Date.parse(entry?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
    for (const args of ['(first: 0)', '(first: 101)', '(first: 1, last: 1)', '(after: "x")']) {
      const query = `query ($id: ID!) { team(id: $id) { auditLog${args} { ${PAGE} } } }`;
      const { errors } = await ada.ask(query, { id: team.id });
      expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    }
  });
});

describe('the audit log of an application', () => {
  it('shows the actions of its developers, not those of its users', async () => {
    const bot = await createApplication(ada, 'Otter bot');
    names.set(bot.id, 'bot');
    for (const person of [ada, bob, cleo]) names.set(person.id, person.name);
    await update(ada, bot.id, { public: false });
    const input = { applicationId: bot.id, userId: bob.id };
    await on(ada, 'inviteTester', input);
    await on(bob, 'acceptTesterInvitation', { applicationId: bot.id });
    await on(ada, 'inviteTester', { applicationId: bot.id, email: cleo.email });
    await on(cleo, 'declineTesterInvitation', { applicationId: bot.id });
    await on(ada, 'inviteTester', { applicationId: bot.id, userId: ada.id });
    await install(bob, bot, await createGuild(bob));
    await on(ada, 'removeTester', input);
    await on(ada, 'resetClientSecret', { applicationId: bot.id });
    await on(ada, 'resetBotToken', { applicationId: bot.id });
    expect(told(entriesOf(await applicationLog(ada, bot)))).toEqual([
      ['ada', 'APPLICATION_CREATE', 'bot', { name: 'Otter bot' }],
      ['ada', 'APPLICATION_UPDATE', 'bot', { public: { old: true, new: false } }],
      ['ada', 'TESTER_INVITE', 'bob', { state: { old: null, new: 'INVITED' } }],
      ['bob', 'TESTER_ACCEPT', 'bob', { state: { old: 'INVITED', new: 'ACCEPTED' } }],
      ['ada', 'TESTER_INVITE', 'cleo', { state: { old: null, new: 'INVITED' } }],
      ['cleo', 'TESTER_DECLINE', 'cleo', { state: { old: 'INVITED', new: null } }],
      ['ada', 'TESTER_INVITE', 'ada', { state: { old: null, new: 'ACCEPTED' } }],
      ['ada', 'TESTER_REMOVE', 'bob', { state: { old: 'ACCEPTED', new: null } }],
      ['ada', 'CLIENT_SECRET_RESET', 'bot', null],
      ['ada', 'BOT_TOKEN_RESET', 'bot', null],
    ]);
  });

  it('is empty for a user without a role who sees the application on a server', async () => {
    const bot = await createApplication(ada);
    const guild = await createGuild(eve);
    await install(eve, bot, guild);
    const data = await eve.graphql(
      `query ($id: ID!) { guild(id: $id) { installations { application { id auditLog { ${PAGE} } } } } }`,
      { id: guild.id },
    );
    const [{ application }] = data.guild.installations;
    expect(application).toMatchObject({ id: bot.id, auditLog: { edges: [] } });
  });
});

describe('the audit table', () => {
  it('never holds a displayed secret or a part of one', async () => {
    const secrets: string[] = [];
    const bot: MadeApplication = await createApplication(ada, 'Secretive');
    secrets.push(bot.clientSecret, bot.botToken);
    secrets.push((await on(ada, 'resetClientSecret', { applicationId: bot.id })).clientSecret);
    secrets.push((await on(ada, 'resetBotToken', { applicationId: bot.id })).botToken);
    await uploadIcon(server, ada, bot.id, ICON);
    const team = await createTeam(ada);
    await transferApplication(ada, bot, team);
    secrets.push((await on(ada, 'resetClientSecret', { applicationId: bot.id })).clientSecret);
    secrets.push((await on(ada, 'resetBotToken', { applicationId: bot.id })).botToken);
    for (const person of [ada, bob, cleo, eve]) secrets.push(person.token, person.password, person.email);
    const { privateKey, clientSecretHash, botTokenHash } = await server.app.db.reader.application.findUniqueOrThrow({
      where: { id: BigInt(bot.id) },
    });
    secrets.push(privateKey, clientSecretHash ?? '', botTokenHash ?? '');
    const rows = await server.app.db.reader.auditEntry.findMany();
    const text = JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(rows.length).toBeGreaterThan(20);
    expect(secrets.every((secret) => secret.length >= 8)).toBe(true);
    for (const secret of secrets) {
      // A bot token begins with the bot's id, which is not secret.
      const parts = [secret, ...secret.split('.').slice(1)].filter((part) => part.length >= 8);
      expect(parts.filter((part) => text.includes(part))).toEqual([]);
    }
  });

  it('keeps every entry unchanged, except for the team of a transferred application', async () => {
    const bot = await createApplication(ada, 'Kept');
    const team = await createTeam(ada);
    const all = () => server.app.db.reader.auditEntry.findMany({ orderBy: { id: 'asc' } });
    const before = await all();
    await transferApplication(ada, bot, team);
    await on(ada, 'deleteApplication', { applicationId: bot.id, name: 'Kept' });
    await ada.graphql('mutation ($i: TeamIdInput!) { deleteTeam(input: $i) { id } }', { i: { teamId: team.id } });
    const ofTeam = (entry: (typeof before)[number]) =>
      entry.applicationId === BigInt(bot.id) ? { ...entry, teamId: BigInt(team.id) } : entry;
    const after = await all();
    expect(after.slice(0, before.length)).toEqual(before.map(ofTeam));
    expect(after.slice(before.length).map(({ action }) => action)).toEqual([
      'APPLICATION_TRANSFER',
      'APPLICATION_DELETE',
      'TEAM_DELETE',
    ]);
  });

  it('is changed by no code except the transfer, the retention, the deletion of a person, and the sandbox, which removes whole worlds', async () => {
    const src = join(import.meta.dirname, '../../../src');
    const files = (await readdir(src, { recursive: true })).filter(
      (file) => /\.ts$/.test(file) && !/generated/.test(file),
    );
    const changing: string[] = [];
    for (const file of files) {
      const text = await readFile(join(src, file), 'utf8');
      if (/auditEntry\s*\.\s*(update|delete|upsert)|(UPDATE|DELETE FROM) "?AuditEntry/.test(text)) changing.push(file);
    }
    expect(files.length).toBeGreaterThan(200);
    const expected = [
      join('domain', 'applications', 'transfer.ts'),
      join('domain', 'audit-log', 'expired.ts'),
      join('domain', 'deletions', 'traces.ts'),
      join('sandbox', 'worlds', 'restore.ts'),
    ];
    expect(changing.toSorted()).toEqual(expected);
  });

  it('has one entry for ten requests at once of which one succeeds', async () => {
    const team = await createTeam(ada);
    const invitation = await inviteToTeam(ada, team, bob);
    await Promise.all(Array.from({ length: 10 }, () => askAnswer(bob, 'accept', invitation)));
    const actions = entriesOf(await teamLog(ada, team)).map(({ action }) => action);
    expect(actions).toEqual(['TEAM_CREATE', 'TEAM_INVITATION_CREATE', 'TEAM_INVITATION_ACCEPT']);
  });
});

const ICON = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);
