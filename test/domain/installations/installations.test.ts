import { describe, expect } from 'vitest';
import type { Heard } from '../../../src/domain/bus-message.js';
import { Permission } from '../../../src/domain/permissions.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { it } from '../../harness/fixtures.js';
import { outboxOf } from '../../harness/mails.js';
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
} from '../../harness/people.js';
import { permitEveryone } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';

let server: TestServer;
let owner: Person;
let member: Person;
let application: MadeApplication;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  member = await signUp(server, 'member');
  application = await createApplication(owner, 'Helper');
});

const INSTALL = `mutation ($input: InstallApplicationInput!) {
  installApplication(input: $input) { installation { id context scopes permissions application { id } } }
}`;
const SCOPES = ['bot', 'applications.commands'];

function ask(person: Person, input: object) {
  return person.ask(INSTALL, { input: { applicationId: application.id, guildId: guild.id, scopes: SCOPES, ...input } });
}

async function eventsOf(work: () => Promise<unknown>): Promise<string[]> {
  const types: string[] = [];
  const hear = ({ type }: Heard) => types.push(type);
  const { bus } = server.app;
  const heard = [topics.guild(guild.id), topics.user(application.id)].map((topic) => bus.subscribe(topic, hear));
  await Promise.all(heard.map((subscription) => subscription.ready));
  await work();
  for (const subscription of heard) subscription.close();
  return types;
}

async function state() {
  const guildId = BigInt(guild.id);
  const applicationId = BigInt(application.id);
  const { reader } = server.app.db;
  const [installations, roles, bots] = await Promise.all([
    reader.installation.findMany({ where: { guildId } }),
    reader.role.findMany({ where: { guildId, applicationId } }),
    reader.member.findMany({ where: { guildId, userId: applicationId }, include: { roles: true } }),
  ]);
  return { installations, roles, bots };
}

const permit = (permissions: bigint) => permitEveryone(server.app, BigInt(guild.id), permissions);

async function recordedPermissions() {
  const entries = await server.app.db.reader.auditEntry.findMany({
    where: { guildId: BigInt(guild.id), action: 'INSTALLATION_PUT' },
    orderBy: { id: 'asc' },
  });
  return entries.map(({ changes }) => (changes as { permissions: { new: string } }).permissions.new);
}

describe('an installation', () => {
  it('with the scope bot adds the bot with a managed role that has the granted permissions', async () => {
    guild = await createGuild(owner);
    const permissions = String(Permission.SendMessages | Permission.BanMembers);
    const events = await eventsOf(async () => {
      const { data } = await ask(owner, { permissions });
      expect(data.installApplication.installation).toMatchObject({
        context: 'SERVER',
        scopes: SCOPES,
        permissions,
        application: { id: application.id },
      });
    });
    expect(events).toEqual([
      'GUILD_ROLE_CREATE',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_MEMBER_ADD',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_JOINED',
    ]);
    const { roles, bots } = await state();
    expect(roles).toMatchObject([{ name: 'Helper', managed: true, position: 1, permissions: BigInt(permissions) }]);
    expect(bots[0]?.roles.map((role) => role.roleId)).toEqual([roles[0]?.id]);
  });

  it('with applications.commands alone adds no bot', async () => {
    guild = await createGuild(owner);
    const events = await eventsOf(() => ask(owner, { scopes: ['applications.commands'], permissions: '8' }));
    expect(events).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE']);
    const { installations, bots } = await state();
    expect(installations).toMatchObject([{ scopes: ['applications.commands'], permissions: '0' }]);
    expect(bots).toEqual([]);
  });

  it('adds scopes and replaces permissions if repeated, on the same row and role', async () => {
    guild = await createGuild(owner);
    await ask(owner, { scopes: ['applications.commands'] });
    await ask(owner, { scopes: ['bot'], permissions: '2048' });
    const events = await eventsOf(() => ask(owner, { scopes: ['bot'], permissions: '1024' }));
    expect(events).toEqual(['GUILD_ROLE_UPDATE']);
    const { installations, roles, bots } = await state();
    expect(installations).toMatchObject([{ scopes: SCOPES, permissions: '1024' }]);
    expect(roles).toMatchObject([{ permissions: 1024n }]);
    expect(bots).toHaveLength(1);
  });

  it('happens once for ten requests at once', async () => {
    guild = await createGuild(owner);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(owner, { permissions: '1024' })));
    expect(answers.flatMap((answer) => answer.errors)).toEqual([]);
    const { installations, roles, bots } = await state();
    expect([installations.length, roles.length, bots.length]).toEqual([1, 1, 1]);
  });

  it('needs ManageGuild and no other permission', async () => {
    guild = await createGuild(owner);
    await invite(owner, guild, member);
    expect((await ask(member, {})).errors[0]?.extensions.code).toBe('FORBIDDEN');
    await permit(Permission.ManageGuild);
    expect((await ask(member, {})).errors).toEqual([]);
  });

  it('grants the bot no more than its installer has, and records the granted permissions', async () => {
    guild = await createGuild(owner);
    await invite(owner, guild, member);
    await permit(Permission.ManageGuild | Permission.SendMessages);
    const wanted = Permission.Administrator | Permission.BanMembers | Permission.SendMessages;
    const { data } = await ask(member, { permissions: String(wanted) });
    const given = String(Permission.SendMessages);
    expect(data.installApplication.installation.permissions).toBe(given);
    const { installations, roles } = await state();
    expect(installations).toMatchObject([{ permissions: given }]);
    expect(roles).toMatchObject([{ permissions: Permission.SendMessages, position: 1 }]);
    expect(await recordedPermissions()).toEqual([given]);
  });

  it('grants all requested permissions to an administrator', async () => {
    guild = await createGuild(owner);
    await invite(owner, guild, member);
    await permit(Permission.Administrator);
    const wanted = Permission.Administrator | Permission.BanMembers;
    await ask(member, { permissions: String(wanted) });
    expect((await state()).roles).toMatchObject([{ permissions: wanted }]);
  });

  it.each<[string, bigint]>([
    ['the same permissions', Permission.BanMembers | Permission.KickMembers],
    ['everything', Permission.Administrator],
  ])(
    'repeated by a member with fewer permissions keeps the requested permissions of a bot with %s',
    async (_what, given) => {
      guild = await createGuild(owner);
      await ask(owner, { permissions: String(given) });
      await invite(owner, guild, member);
      await permit(Permission.ManageGuild | Permission.SendMessages);
      const wanted = Permission.BanMembers | Permission.SendMessages;
      await ask(member, { permissions: String(wanted | Permission.ManageRoles) });
      const isAdministrator = given === Permission.Administrator;
      const kept = isAdministrator ? wanted | Permission.ManageRoles : wanted;
      expect((await state()).roles).toMatchObject([{ permissions: kept }]);
      expect(await recordedPermissions()).toEqual([String(given), String(kept)]);
    },
  );

  it('is decided by the permissions of the installer at the time of the write', async () => {
    guild = await createGuild(owner);
    await invite(owner, guild, member);
    await permit(Permission.ManageGuild | Permission.BanMembers);
    await ask(member, { scopes: ['applications.commands'] });
    // No event is published, so the cached guild is outdated.
    const allow = (permissions: bigint) =>
      server.app.db.writer.role.update({ where: { id: BigInt(guild.id) }, data: { permissions } });
    await allow(0n);
    expect((await ask(member, {})).errors[0]?.extensions.code).toBe('FORBIDDEN');
    await allow(Permission.ManageGuild);
    await ask(member, { permissions: String(Permission.BanMembers) });
    expect((await state()).roles).toMatchObject([{ permissions: 0n }]);
  });

  it('is not found for a foreign guild, a private application or an unknown one', async () => {
    guild = await createGuild(owner);
    expect((await ask(member, {})).errors[0]?.extensions.code).toBe('NOT_FOUND');
    const hidden = await createApplication(owner, 'Private');
    await server.app.db.writer.application.update({ where: { id: BigInt(hidden.id) }, data: { public: false } });
    const refused = await ask(owner, { applicationId: hidden.id });
    expect(refused.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(refused).toEqual(await ask(owner, { applicationId: '1' }));
  });

  it('is refused for an application that disables server installs', async () => {
    guild = await createGuild(owner);
    const userOnly = await createApplication(owner, 'User only');
    await server.app.db.writer.application.update({
      where: { id: BigInt(userOnly.id) },
      data: { serverInstall: false, userInstall: true },
    });
    expect((await ask(owner, { applicationId: userOnly.id })).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it.each([
    ['an unknown scope', { scopes: ['bot', 'root'] }, 'scopes.1'],
    ['the reserved scope', { scopes: ['bot', 'messages.read'] }, 'scopes.1'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['scopes that install nothing', { scopes: ['identify'] }, 'scopes'],
    ['permissions that are no number', { permissions: 'all' }, 'permissions'],
  ])('is refused for %s', async (_case, input, path) => {
    guild = await createGuild(owner);
    const { errors } = await ask(owner, input);
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual([path]);
  });
});

describe('uninstalling', () => {
  it('removes the bot and its role from the guild', async () => {
    guild = await createGuild(owner);
    const id = await install(owner, application, guild);
    expect(await eventsOf(() => uninstall(owner, id))).toEqual([
      'GUILD_MEMBER_REMOVE',
      'GUILD_ROLE_DELETE',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_LEFT',
    ]);
    expect(await state()).toEqual({ installations: [], roles: [], bots: [] });
  });

  it('needs ManageGuild, and is not found by users outside', async () => {
    guild = await createGuild(owner);
    const installationId = await install(owner, application, guild);
    const remove = `mutation ($id: ID!) { uninstallApplication(input: { installationId: $id }) { id } }`;
    const hidden = await member.ask(remove, { id: installationId });
    expect(hidden.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(hidden).toEqual(await member.ask(remove, { id: '1' }));
    await invite(owner, guild, member);
    expect((await member.ask(remove, { id: installationId })).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('the loss of permissions of a bot that another member installs again', () => {
  async function guildWithBot(permissions: bigint): Promise<void> {
    guild = await createGuild(owner, 'Harbour');
    await permit(Permission.ManageGuild | Permission.SendMessages | Permission.ViewChannel);
    await invite(owner, guild, member);
    await ask(owner, { permissions: String(permissions) });
  }

  it('is mailed to the owner and audited', async () => {
    await guildWithBot(Permission.BanMembers | Permission.SendMessages);
    const before = await outboxOf(server, owner.email);
    await ask(member, { permissions: String(Permission.SendMessages) });
    const [mail, ...more] = (await outboxOf(server, owner.email)).slice(before.length);
    expect(more).toEqual([]);
    expect(mail?.headers.subject).toEqual(['Helper lost permissions in Harbour']);
    expect(mail?.body).toContain('member reinstalled "Helper" in your server "Harbour"');
    expect(mail?.body.split('\n').filter((line) => line.startsWith('-'))).toEqual(['- Ban Members']);
    const where = { guildId: BigInt(guild.id), action: 'INSTALLATION_PUT' };
    const entries = await server.app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ actorId, changes }) => [String(actorId), changes])).toMatchObject([
      [owner.id, { permissions: { old: null, new: String(Permission.BanMembers | Permission.SendMessages) } }],
      [
        member.id,
        {
          permissions: {
            old: String(Permission.BanMembers | Permission.SendMessages),
            new: String(Permission.SendMessages),
          },
        },
      ],
    ]);
  });

  it('causes no mail without a loss of permissions, or if the owner does it', async () => {
    await guildWithBot(Permission.SendMessages);
    const before = await outboxOf(server, owner.email);
    await ask(member, { permissions: String(Permission.SendMessages | Permission.ViewChannel) });
    await ask(member, { scopes: ['applications.commands'] });
    await ask(owner, { permissions: '0' });
    await ask(owner, { permissions: String(Permission.Administrator) });
    await ask(member, { permissions: String(Permission.Administrator) });
    expect(await outboxOf(server, owner.email)).toHaveLength(before.length);
  });

  it('causes a limited number of mails if repeated', { tags: ['slow'] }, async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const [ada, bob] = [await signUp(limited, 'ada'), await signUp(limited, 'bob')];
      const [bot, harbour] = [await createApplication(ada), await createGuild(ada)];
      const permissions = Permission.ManageGuild | Permission.SendMessages | Permission.CreateInstantInvite;
      await permitEveryone(limited.app, BigInt(harbour.id), permissions);
      await invite(ada, harbour, bob);
      for (let time = 0; time < 12; time += 1) {
        for (const given of [Permission.SendMessages, 0n]) {
          await install(bob, bot, harbour, { scopes: ['bot'], permissions: String(given) });
        }
      }
      expect(await outboxOf(limited, ada.email)).toHaveLength(10);
    } finally {
      await limited.stop();
    }
  });
});
