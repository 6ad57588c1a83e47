import { beforeEach, describe, expect } from 'vitest';
import { createInvite } from '../../src/domain/invites/index.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
  uninstall,
} from '../harness/people.js';
import { planOf } from '../harness/plans.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { statementsOf } from '../harness/statements.js';
import { addToTeam, createTeam, type MadeTeam, transferApplication } from '../harness/teams.js';
import { callOf, userOf } from '../harness/world.js';

let server: TestServer;
let ada: Person;
let bob: Person;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});

let team: MadeTeam;
let application: MadeApplication;
beforeEach(async () => {
  team = await createTeam(ada, 'Otters');
  application = await createApplication(ada, 'Heron');
  await transferApplication(ada, application, team);
});

const ENTRY = `id action actor { id username } application { id name } target targetUser { id username } targetName changes`;

type Field = 'application' | 'team' | 'guild';

async function logOf(person: Person, field: Field, { id }: { id: string }, args = 'last: 50'): Promise<Loose[]> {
  const query = `query ($id: ID!) { ${field}(id: $id) { auditLog(${args}) { edges { node { ${ENTRY} } } } } }`;
  const data = await person.graphql(query, { id });
  return data[field].auditLog.edges.map(({ node }: Loose) => node);
}

async function run(person: Person, mutation: string, input: object, shown = 'id'): Promise<Loose> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const data = await person.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { ${shown} } }`, {
    input,
  });
  return data[mutation];
}

const named = (entries: Loose[]) => entries.map(({ action, targetName }) => `${action} ${targetName}`);

async function makeCommand(name: string): Promise<string> {
  const input = { applicationId: application.id, command: { name, description: 'It helps.' } };
  return (await run(ada, 'createCommand', input, 'command { id }')).command.id;
}

async function makeWebhook(guild: MadeGuild, name: string): Promise<string> {
  const input = { applicationId: application.id, channelId: guild.textChannelId, name };
  return (await run(ada, 'createWebhook', input, 'webhook { id }')).webhook.id;
}

/** Stores an emoji as if the application's bot had created it. */
async function putEmoji(name: string): Promise<bigint> {
  const id = server.app.nextId();
  const data = { id, applicationId: BigInt(application.id), name, creatorId: BigInt(application.id), roleIds: [] };
  await server.app.db.writer.emoji.create({ data });
  return id;
}

async function putEntry(action: string, targetId: bigint, changes: object, of: object = {}): Promise<void> {
  const owner = { applicationId: BigInt(application.id), teamId: BigInt(team.id), ...of };
  const data = { id: server.app.nextId(), actorId: BigInt(ada.id), action, targetId, changes, ...owner };
  await server.app.db.writer.auditEntry.create({ data });
}

describe('the target of an application or team audit entry', () => {
  test('shows the current name of users, the team, the application, its commands, webhooks and emojis', async () => {
    const guild = await createGuild(ada, 'Harbour');
    await addToTeam(ada, team, bob, 'DEVELOPER');
    const commandId = await makeCommand('greet');
    await run(
      ada,
      'updateCommand',
      { applicationId: application.id, commandId, command: { name: 'salute' } },
      'command { id }',
    );
    await makeWebhook(guild, 'News');
    await putEntry('APPLICATION_EMOJI_CREATE', await putEmoji('wave'), { name: 'wav' });
    await update(ada, application.id, { name: 'Egret' });
    expect(named(await logOf(ada, 'team', team))).toEqual([
      'TEAM_CREATE Otters',
      'APPLICATION_CREATE Egret',
      'APPLICATION_TRANSFER Egret',
      'TEAM_INVITATION_CREATE bob',
      'TEAM_INVITATION_ACCEPT bob',
      'COMMAND_CREATE salute',
      'COMMAND_UPDATE salute',
      'APPLICATION_WEBHOOK_CREATE News',
      'APPLICATION_EMOJI_CREATE wave',
      'APPLICATION_UPDATE Egret',
    ]);
    const invited = (await logOf(ada, 'team', team)).filter(({ targetUser }) => targetUser !== null);
    expect(invited.map(({ targetUser }) => targetUser)).toEqual([
      { id: bob.id, username: 'bob' },
      { id: bob.id, username: 'bob' },
    ]);
  });

  test('shows the name from the entry if the target is gone, and null if the entry has no name', async () => {
    const commandId = await makeCommand('greet');
    await run(
      ada,
      'updateCommand',
      { applicationId: application.id, commandId, command: { description: 'Other.' } },
      'command { id }',
    );
    await ada.graphql('mutation ($input: CommandIdInput!) { deleteCommand(input: $input) { id } }', {
      input: { applicationId: application.id, commandId },
    });
    await putEntry('APPLICATION_EMOJI_UPDATE', 1n, { name: { old: 'wav', new: 'wave' } });
    await putEntry('APPLICATION_WEBHOOK_UPDATE', 1n, { channelId: { old: '1', new: '2' } });
    expect(named(await logOf(ada, 'application', application, 'last: 5'))).toEqual([
      'COMMAND_CREATE greet',
      'COMMAND_UPDATE greet',
      'COMMAND_DELETE greet',
      'APPLICATION_EMOJI_UPDATE wave',
      'APPLICATION_WEBHOOK_UPDATE null',
    ]);
  });
});

describe('the target of a server audit entry', () => {
  let guild: MadeGuild;
  beforeEach(async () => {
    guild = await createGuild(ada, 'Harbour');
  });

  test('shows its current name, and an invite shows its code', async () => {
    await invite(ada, guild, bob);
    const { code } = await createInvite(callOf(server.app, await userOf(server.app, ada)), BigInt(guild.textChannelId));
    const { role } = await run(ada, 'createRole', { guildId: guild.id, name: 'Pilots' }, 'role { id }');
    await run(
      ada,
      'setMemberRoles',
      { guildId: guild.id, userId: bob.id, roleIds: [role.id] },
      'member { user { id } }',
    );
    await install(ada, application, guild);
    await run(bob, 'updateProfile', { globalName: 'Bobby' }, 'user { id }');
    const entries = await logOf(ada, 'guild', guild);
    expect(named(entries)).toEqual([
      `INVITE_CREATE ${code}`,
      'ROLE_CREATE Pilots',
      'MEMBER_ROLE_UPDATE Bobby',
      'BOT_ADD Heron',
      'INTEGRATION_CREATE Heron',
    ]);
    expect(entries.find(({ action }) => action === 'BOT_ADD')?.targetUser).toMatchObject({ id: application.id });
  });

  test('names a command or an application only if that is still installed in the server', async () => {
    const commandId = await makeCommand('greet');
    const installationId = await install(ada, application, guild);
    const ofGuild = { applicationId: null, teamId: null, guildId: BigInt(guild.id) };
    const changes = { applicationId: application.id, permissions: [] };
    await putEntry('COMMAND_PERMISSIONS_UPDATE', BigInt(commandId), changes, ofGuild);
    await putEntry('COMMAND_PERMISSIONS_UPDATE', BigInt(application.id), changes, ofGuild);
    const shown = async () =>
      named(await logOf(ada, 'guild', guild)).filter((entry) => /^(COMMAND|INTEGRATION)/.test(entry));
    expect(await shown()).toEqual([
      'INTEGRATION_CREATE Heron',
      'COMMAND_PERMISSIONS_UPDATE greet',
      'COMMAND_PERMISSIONS_UPDATE Heron',
    ]);
    await uninstall(ada, installationId);
    await update(ada, application.id, { name: 'Secret' });
    expect(await shown()).toEqual([
      'INTEGRATION_CREATE Heron',
      'COMMAND_PERMISSIONS_UPDATE null',
      'COMMAND_PERMISSIONS_UPDATE null',
      'INTEGRATION_DELETE Heron',
    ]);
  });

  test('shows the name from the entry if the target is gone', async () => {
    const { channel } = await run(ada, 'createChannel', { guildId: guild.id, name: 'pier', type: 0 }, 'channel { id }');
    await ada.graphql('mutation ($input: ChannelIdInput!) { deleteChannel(input: $input) { id } }', {
      input: { channelId: channel.id },
    });
    expect(named(await logOf(ada, 'guild', guild))).toEqual(['CHANNEL_CREATE pier', 'CHANNEL_DELETE pier']);
  });
});

describe('a page of the audit log', () => {
  test.each<Field>(['application', 'team'])(
    'of one %s takes the same number of statements for 50 entries as for a few',
    async (of) => {
      const guild = await createGuild(ada, 'Harbour');
      await addToTeam(ada, team, bob, 'DEVELOPER');
      const log = () => logOf(ada, of, of === 'team' ? team : application);
      const entryOfEach = async (n: number) => {
        const webhook = { name: `w${n}`, channelId: guild.textChannelId, applicationId: application.id };
        await putEntry('TESTER_INVITE', BigInt(bob.id), { state: { old: null, new: 'INVITED' } });
        await putEntry('APPLICATION_EMOJI_CREATE', await putEmoji(`wave${n}`), { name: 'wave' });
        await putEntry('APPLICATION_WEBHOOK_CREATE', 1n, webhook);
        await putEntry('COMMAND_CREATE', BigInt(n), { name: 'greet', type: 1 });
      };
      await entryOfEach(0);
      await log();
      const few = (await statementsOf(log)).length;
      for (let n = 1; n <= 12; n += 1) await entryOfEach(n);
      const statements = await statementsOf(log);
      expect(await log()).toHaveLength(50);
      expect(statements).toHaveLength(few);
      const listed = statements.findIndex((sql) => /AuditEntry/.test(sql));
      expect(statements.slice(listed).length).toBeLessThanOrEqual(5);
    },
  );
});

describe('a filter of the audit log', () => {
  let guild: MadeGuild;
  beforeEach(async () => {
    guild = await createGuild(ada, 'Harbour');
    await addToTeam(ada, team, bob, 'DEVELOPER');
    await update(bob, application.id, { description: 'By Bob.' });
    await update(ada, application.id, { description: 'By Ada.' });
    await install(ada, application, guild);
  });
  const idOf = (field: Field) => ({ application, team, guild })[field];
  const shown = async (field: Field, args: string) =>
    (await logOf(ada, field, idOf(field), args)).map(({ action, actor }) => `${actor.username} ${action}`);

  test.each<[Field, string, () => string, string[]]>([
    ['application', 'of an action', () => 'actions: ["APPLICATION_CREATE"]', ['ada APPLICATION_CREATE']],
    [
      'application',
      'of several actions',
      () => 'last: 2, actions: ["APPLICATION_CREATE", "APPLICATION_UPDATE", "APPLICATION_UPDATE"]',
      ['bob APPLICATION_UPDATE', 'ada APPLICATION_UPDATE'],
    ],
    ['application', 'of a person', () => `actorId: "${bob.id}"`, ['bob APPLICATION_UPDATE']],
    ['application', 'of no action', () => 'actions: []', []],
    ['team', 'of a person', () => `actorId: "${bob.id}"`, ['bob TEAM_INVITATION_ACCEPT', 'bob APPLICATION_UPDATE']],
    [
      'team',
      'of a person and an action',
      () => `actorId: "${bob.id}", actions: ["TEAM_INVITATION_ACCEPT", "TEAM_CREATE"]`,
      ['bob TEAM_INVITATION_ACCEPT'],
    ],
    ['team', 'of nobody', () => 'actorId: "1"', []],
    ['guild', 'of an action', () => 'actions: ["BOT_ADD"]', ['ada BOT_ADD']],
    ['guild', 'of a person', () => `actorId: "${bob.id}"`, []],
    [
      'guild',
      'of anybody and any action',
      () => 'actorId: null, actions: null',
      ['ada BOT_ADD', 'ada INTEGRATION_CREATE'],
    ],
  ])('on the %s log returns only the entries %s', async (field, _of, args, expected) => {
    expect(await shown(field, args())).toEqual(expected);
  });

  test.each<[Field, string, string, RegExp]>([
    ['application', 'actions: ["BOT_ADD"]', 'actions.0', /one of \{APPLICATION_CREATE, .*TEAM_MEMBER_LEAVE\}/],
    ['team', 'actions: ["TEAM_CREATE", "x"]', 'actions.1', /one of \{APPLICATION_CREATE, .*TEAM_MEMBER_LEAVE\}/],
    ['guild', 'actions: ["GUILD_CREATE"]', 'actions.0', /one of \{GUILD_UPDATE, .*MESSAGE_UNPIN\}/],
    ['application', 'actorId: "ada"', 'actorId', /not snowflake/],
    ['team', 'actorId: "-1"', 'actorId', /not snowflake/],
    ['guild', 'actorId: ""', 'actorId', /not snowflake/],
  ])('on the %s log refuses %s with an error at %s', async (field, args, path, message) => {
    const query = `query ($id: ID!) { ${field}(id: $id) { auditLog(${args}) { edges { cursor } } } }`;
    const { errors } = await ada.ask(query, { id: idOf(field).id });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: { [path]: [expect.anything()] } });
    expect(errors[0]?.message).toMatch(message);
  });

  test.each<[Field, string, string]>([
    ['application', '', 'applicationId_action_id'],
    ['application', 'actions: ["COMMAND_CREATE"]', 'applicationId_action_id'],
    ['application', 'actorId: "1"', 'applicationId_actorId_action_id'],
    ['team', '', 'teamId_action_id'],
    ['team', 'actorId: "1", actions: ["COMMAND_CREATE"]', 'teamId_actorId_action_id'],
  ])(
    'on the %s log (%s) reads one page through an index, however many entries there are',
    async (field, args, index) => {
      const asked = await statementsOf(() => logOf(ada, field, idOf(field), `last: 50, ${args}`));
      const pages = asked.filter((sql) => /SELECT "id" FROM "AuditEntry"/.test(sql));
      expect(pages).toHaveLength(1);
      const plan = await planOf(server, pages[0] ?? '');
      expect(plan).toContain(`AuditEntry_${index}_idx`);
      expect(plan).not.toMatch(/SCAN AuditEntry|Seq Scan/);
    },
  );
});
