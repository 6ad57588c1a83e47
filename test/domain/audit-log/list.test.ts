import { describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createApplication, resetBotToken, resetClientSecret } from '../../../src/domain/applications/index.js';
import { isGuildLogAction, PORTAL_ACTIONS, readChanges } from '../../../src/domain/audit-log/actions.js';
import { isGuildLogEntry } from '../../../src/domain/audit-log/guild-log.js';
import { type AuditLog, listAuditEntries } from '../../../src/domain/audit-log/index.js';
import type { AuditPage } from '../../../src/domain/audit-log/page.js';
import type { CallContext } from '../../../src/domain/call.js';
import { createGuild, joinGuild } from '../../../src/domain/guilds/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { failStatements } from '../../harness/faults.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { callOf } from '../../harness/world.js';

let app: AppContext;
let owner: CallContext;
let log: AuditLog & { applicationId: bigint };
let ids: bigint[];
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  owner = callOf(app, await createPerson(app));
  const { application } = await createApplication(owner, { name: 'Heron' });
  log = { applicationId: application.id };
  await resetBotToken(owner, application.id);
  // The log does not show actions of the application's users.
  const guild = await createGuild(owner, { name: 'Harbour' });
  await installApplication(owner, { ...log, guildId: guild.id, scopes: ['bot'] });
  await resetClientSecret(owner, application.id);
  await createApplication(owner, { name: 'Other' });
  const entries = await app.db.reader.auditEntry.findMany({ where: log, orderBy: { id: 'asc' } });
  expect(entries.map(({ action }) => action)).toEqual([
    'APPLICATION_CREATE',
    'BOT_TOKEN_RESET',
    'INSTALLATION_PUT',
    'CLIENT_SECRET_RESET',
  ]);
  ids = entries.flatMap(({ id, action }) => (action === 'INSTALLATION_PUT' ? [] : [id]));
});

const list = async (page: Partial<AuditPage> = {}, call = owner, of: AuditLog = log) =>
  (await listAuditEntries(call, of, { take: 10, backwards: false, ...page })).map(({ id }) => ids.indexOf(id));

describe('the audit log of an application', () => {
  const PAGES: [string, () => Partial<AuditPage>, number[]][] = [
    ['all of it, the oldest first', () => ({}), [0, 1, 2]],
    ['all of it, the newest first', () => ({ backwards: true }), [2, 1, 0]],
    ['the oldest two', () => ({ take: 2 }), [0, 1]],
    ['the newest two', () => ({ take: 2, backwards: true }), [2, 1]],
    ['what is after one', () => ({ after: ids[0] }), [1, 2]],
    ['what is before one', () => ({ before: ids[2] }), [0, 1]],
    ['what is between two', () => ({ after: ids[0], before: ids[2] }), [1]],
    ['the newest before one', () => ({ before: ids[2], take: 1, backwards: true }), [1]],
  ];
  test.each(PAGES)('lists %s', async (_, page, expected) => {
    expect(await list(page())).toEqual(expected);
  });

  test('is empty for a user without access and for an unknown application or team', async () => {
    const stranger = callOf(app, await createPerson(app));
    expect(await list({}, stranger)).toEqual([]);
    expect(await list({}, owner, { applicationId: 1n })).toEqual([]);
    expect(await list({}, owner, { teamId: 1n })).toEqual([]);
  });

  test('fails instead of being empty if the database fails', async () => {
    const fault = failStatements(/FROM .*Application/);
    await expect(list()).rejects.toThrow();
    fault.heal();
  });
});

describe('an action', () => {
  const IN_GUILD_LOG = [
    ...['CHANNEL_CREATE', 'ROLE_CREATE', 'INVITE_CREATE', 'INVITE_DELETE'],
    ...['MEMBER_ROLE_UPDATE', 'BOT_ADD', 'INTEGRATION_CREATE', 'INTEGRATION_DELETE', 'MESSAGE_DELETE'],
  ];
  const NOWHERE = [
    ...['OAUTH_AUTHORIZE', 'OAUTH_REVOKE', 'OAUTH_REUSE', 'INSTALLATION_PUT', 'INSTALLATION_DELETE'],
    ...['GUILD_CREATE', 'ROLE_POSITIONS_UPDATE', 'MEMBER_ADD'],
  ];

  test('is shown in at most one log', () => {
    for (const action of IN_GUILD_LOG) expect(isGuildLogAction(action)).toBe(true);
    for (const action of [...NOWHERE, ...PORTAL_ACTIONS]) expect(isGuildLogAction(action)).toBe(false);
    for (const action of [...NOWHERE, ...IN_GUILD_LOG]) expect(PORTAL_ACTIONS).not.toContain(action);
    expect(PORTAL_ACTIONS).toHaveLength(31);
    const names = /^(APPLICATION|BOT_TOKEN|CLIENT_SECRET|COMMANDS?|TESTER|TEAM)_/;
    expect(PORTAL_ACTIONS.every((action) => names.test(action))).toBe(true);
  });

  test('that deleted an invite before more details were stored is read with null for them', () => {
    const unknown = { inviterId: null, maxAge: null, maxUses: null, uses: null, temporary: false };
    expect(readChanges('INVITE_DELETE', { code: 'x' })).toEqual({ code: 'x', ...unknown });
    const kept = { code: 'x', inviterId: '1', maxAge: 2, maxUses: 3, uses: 4 };
    expect(readChanges('INVITE_DELETE', kept)).toEqual({ ...kept, temporary: false });
    expect(() => readChanges('ROLE_CREATE', { name: 'x' })).toThrow();
  });

  test('belongs to the log of a guild if it happened in a guild', async () => {
    const [entry] = await app.db.reader.auditEntry.findMany({ where: { action: 'BOT_ADD' } });
    if (!entry) throw new Error('no bot was added');
    expect(isGuildLogEntry(entry)).toBe(true);
    expect(isGuildLogEntry({ ...entry, guildId: null })).toBe(false);
    expect(isGuildLogEntry({ ...entry, action: 'GUILD_CREATE' })).toBe(false);
  });
});

test('a caller without an account is refused, and no entry is written', async () => {
  const nobody = { ...owner, actor: { kind: 'anonymous' as const } };
  const before = await app.db.reader.auditEntry.count();
  await expect(joinGuild(nobody, 'Aa000000')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(createGuild(nobody, { name: 'Harbour' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await app.db.reader.auditEntry.count()).toBe(before);
});
