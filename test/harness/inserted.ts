import { generateKeyPairSync } from 'node:crypto';
import { createBotToken } from '../../src/domain/applications/bot-tokens.js';
import { createClientSecret } from '../../src/domain/applications/secrets.js';
import { isGuildLogEntry } from '../../src/domain/audit-log/guild-log.js';
import { userNameKeys } from '../../src/domain/members/name-keys.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from '../../src/domain/members/record.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import type { Application, Prisma, User } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';

/**
 * Inserts guilds, applications and members with few statements. The platform's own functions check permissions and
 * limits in transactions and take ten times as long. `test/inserted-rows.test.ts` compares the rows and events with
 * theirs.
 */
type App = Server['app'];

interface AuditData {
  action: string;
  changes: Prisma.JsonObject;
  targetId: bigint;
  applicationId?: bigint;
  guildId?: bigint;
}

async function insertAuditEntries(app: App, actorId: bigint, entries: AuditData[]): Promise<void> {
  const data = entries.map((entry) => ({ id: app.nextId(), actorId, ...entry }));
  await app.db.writer.auditEntry.createMany({ data });
  for (const { id, action, changes, applicationId = null, guildId = null, targetId } of data) {
    const entry = { id, actorId, action, changes, applicationId, guildId, targetId };
    const written = { ...entry, teamId: null, reason: null };
    if (isGuildLogEntry(written)) app.publish({ type: 'GUILD_AUDIT_LOG_ENTRY_CREATE', entry: written });
  }
}

const WITH_OVERWRITES = { overwrites: true } as const;

/**
 * Inserts the guild that `createGuild` makes for its owner.
 * @returns its id and its channels
 */
export async function insertGuild(app: App, owner: User, name: string) {
  const { writer } = app.db;
  const [id, systemChannelId, voiceChannelId] = [app.nextId(), app.nextId(), app.nextId()];
  await writer.guild.create({ data: { id, name, ownerId: owner.id, systemChannelId, memberCount: 1 } });
  await writer.role.create({ data: { id, guildId: id, name: '@everyone', permissions: DEFAULT_EVERYONE_PERMISSIONS } });
  const channels = [
    { id: systemChannelId, guildId: id, name: 'general', type: 0, position: 0 },
    { id: voiceChannelId, guildId: id, name: 'General', type: 2, position: 1 },
  ] as const;
  const text = await writer.channel.create({ data: channels[0], include: WITH_OVERWRITES });
  await writer.channel.create({ data: channels[1] });
  const joinedAt = new Date(app.clock.now());
  await writer.member.create({ data: { guildId: id, userId: owner.id, joinedAt, ...userNameKeys(owner) } });
  app.publish({ type: 'GUILD_CREATED', guildId: id });
  app.publish({ type: 'PORTAL_HOME_UPDATED', userId: owner.id });
  await insertAuditEntries(app, owner.id, [{ action: 'GUILD_CREATE', guildId: id, targetId: id, changes: { name } }]);
  return { id, text: { ...text, guildId: id }, voiceChannelId };
}

/** A key pair as `createSigningKeys` makes it, without its six milliseconds of computing. */
function signingKeys(): { publicKey: string; privateKey: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
  return { publicKey: hex(x), privateKey: hex(d) };
}

interface InsertedApplication {
  application: Application;
  bot: User;
  clientSecret: string;
  botToken: string;
}

export async function insertApplication(app: App, owner: User, name: string): Promise<InsertedApplication> {
  const [id, now] = [app.nextId(), app.clock.now()];
  const { secret: clientSecret, columns } = createClientSecret();
  const { token: botToken, hash } = createBotToken(id, now);
  const made = { at: new Date(now), by: owner.id };
  const bot = await app.db.writer.user.create({ data: { id, username: name, bot: true } });
  const application = await app.db.writer.application.create({
    data: {
      id,
      name,
      description: '',
      ownerUserId: owner.id,
      ...signingKeys(),
      ...columns,
      clientSecretCreatedAt: made.at,
      clientSecretCreatedById: made.by,
      botTokenHash: hash,
      botTokenLast4: botToken.slice(-4),
      botTokenCreatedAt: made.at,
      botTokenCreatedById: made.by,
      serverInstallScopes: ['bot', 'applications.commands'],
      userInstallScopes: ['applications.commands'],
      redirectUris: [],
    },
  });
  app.publish({ type: 'PORTAL_HOME_UPDATED', userId: owner.id });
  await insertAuditEntries(app, owner.id, [
    { action: 'APPLICATION_CREATE', applicationId: id, targetId: id, changes: { name } },
  ]);
  return { application, bot, clientSecret, botToken };
}

/** Inserts a membership as `joinGuild` does, without an invite. */
export async function insertMember(
  app: App,
  guildId: bigint,
  user: User,
  roleIds: bigint[] = [],
): Promise<MemberRecord> {
  const member = await app.db.writer.member.create({
    data: {
      guildId,
      userId: user.id,
      joinedAt: new Date(app.clock.now()),
      ...userNameKeys(user),
      roles: { create: roleIds.map((roleId) => ({ roleId })) },
    },
    include: WITH_USER_AND_ROLES,
  });
  await app.db.writer.guild.updateMany({ where: { id: guildId }, data: { memberCount: { increment: 1 } } });
  app.publish({ type: 'GUILD_MEMBER_ADD', member });
  if (!user.bot) app.publish({ type: 'PORTAL_HOME_UPDATED', userId: user.id });
  return member;
}

/**
 * Inserts the installation and membership that `installApplication` makes for the guild's owner with the scope `bot`
 * and no permissions.
 */
export async function insertBotMember(app: App, guildId: bigint, bot: User): Promise<MemberRecord> {
  const { writer, reader } = app.db;
  const applicationId = bot.id;
  const { ownerId } = await reader.guild.findUniqueOrThrow({ where: { id: guildId }, select: { ownerId: true } });
  const others = { guildId, id: { not: guildId } };
  const moved = await writer.role.findMany({ where: others, orderBy: [{ position: 'asc' }, { id: 'desc' }] });
  if (moved.length > 0) await writer.role.updateMany({ where: others, data: { position: { increment: 1 } } });
  const role = await writer.role.create({
    data: { id: app.nextId(), guildId, name: bot.username, managed: true, applicationId, position: 1 },
  });
  app.publish({ type: 'GUILD_ROLE_CREATE', role });
  for (const other of moved)
    app.publish({ type: 'GUILD_ROLE_UPDATE', role: { ...other, position: other.position + 1 } });
  const installation = { id: app.nextId(), applicationId, guildId, installerId: ownerId, scopes: ['bot'] };
  await writer.installation.create({ data: { ...installation, context: 'SERVER', permissions: '0' } });
  const member = await insertMember(app, guildId, bot, [role.id]);
  const integration = { applicationId: String(applicationId), name: bot.username };
  const put = { scopes: ['bot'], permissions: { old: null, new: '0' } };
  const of = { guildId, targetId: installation.id };
  await insertAuditEntries(app, ownerId, [
    { action: 'BOT_ADD', guildId, targetId: applicationId, changes: {} },
    { action: 'INTEGRATION_CREATE', ...of, changes: integration },
    { action: 'INSTALLATION_PUT', ...of, applicationId, changes: put },
  ]);
  app.publish({ type: 'GUILD_JOINED', guildId, userId: applicationId });
  app.publish({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  return member;
}
