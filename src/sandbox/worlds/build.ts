import { generateKeyPairSync } from 'node:crypto';
import { OverwriteType } from 'discord-api-types/v10';
import { type AppContext, callContext } from '../../context.js';
import { createBotToken, createClientSecret } from '../../domain/applications/index.js';
import { commandSchemas, overwriteCommands } from '../../domain/commands/index.js';
import { invalidInput } from '../../domain/errors.js';
import { userNameKeys } from '../../domain/members/index.js';
import { parseInTurns } from '../../domain/parse-input.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../domain/permissions.js';
import type { Prisma, Transaction } from '../../infra/database/index.js';
import {
  type ApplicationSeed,
  CHANNEL_TYPES,
  type ChannelSeed,
  type GuildSeed,
  type PersonSeed,
  type Seed,
} from './seed.js';

export interface Named {
  id: bigint;
  name: string;
}

export interface BuiltGuild extends Named {
  ownerId: bigint;
}

/** The secrets are kept, because the test program asks for them again. */
export interface BuiltApplication extends Named {
  ownerId: bigint;
  token: string;
  clientSecret: string;
  publicKey: string;
}

export interface Built {
  people: Named[];
  guilds: BuiltGuild[];
  applications: BuiltApplication[];
}

/** Emails of people, of which no mail server exists (RFC 2606). */
const EMAIL_DOMAIN = 'sandbox.example';

/**
 * The rows of a seed. They are inserted in one transaction, without the checks, audit entries and events of the
 * platform's own functions, because nothing can observe the world yet.
 */
export class WorldRows {
  readonly built: Built;
  readonly #at: Date;
  readonly #users: Prisma.UserCreateManyInput[] = [];
  readonly #accounts: Prisma.AuthUserCreateManyInput[] = [];
  readonly #guilds: Prisma.GuildCreateManyInput[] = [];
  readonly #roles: Prisma.RoleCreateManyInput[] = [];
  readonly #channels: Prisma.ChannelCreateManyInput[] = [];
  readonly #overwrites: Prisma.ChannelOverwriteCreateManyInput[] = [];
  readonly #members: Prisma.MemberCreateManyInput[] = [];
  readonly #memberRoles: Prisma.MemberRoleCreateManyInput[] = [];
  readonly #applications: Prisma.ApplicationCreateManyInput[] = [];
  readonly #installations: Prisma.InstallationCreateManyInput[] = [];
  readonly #permissions: Prisma.CommandPermissionCreateManyInput[] = [];

  /**
   * @param number makes the people's handles unique, because worlds share an instance
   * @param bots on a box, the applications of the cloud. Their installations belong there, too.
   * @throws INVALID_INPUT for a name that the seed does not have
   */
  constructor(
    private readonly app: AppContext,
    private readonly seed: Seed,
    private readonly number: number,
    private readonly bots: readonly BuiltApplication[] | null = null,
  ) {
    this.#at = new Date(app.clock.now());
    const people = seed.people.map((person, index) => this.#person(person, index));
    this.built = { people, guilds: [], applications: [] };
    this.built.applications = bots
      ? bots.map((bot) => this.#copyOfBot(bot))
      : seed.applications.map((application, index) => this.#application(application, index));
    for (const [index, guild] of seed.guilds.entries()) this.built.guilds.push(this.#guild(guild, index));
  }

  async insert(db: Transaction): Promise<void> {
    await db.user.createMany({ data: this.#users });
    await db.authUser.createMany({ data: this.#accounts });
    await db.application.createMany({ data: this.#applications });
    await this.#insertContent(db);
  }

  /** People and applications exist; the rest was deleted. */
  async restore(db: Transaction): Promise<void> {
    for (const { id, ...data } of this.#users) await db.user.updateMany({ where: { id: id ?? 0n }, data });
    for (const { id, ...data } of this.#applications)
      await db.application.updateMany({ where: { id: id ?? 0n }, data });
    await this.#insertContent(db);
  }

  get installations(): readonly Prisma.InstallationCreateManyInput[] {
    return this.#installations;
  }

  /** Server and bot of each bot that is in a server. */
  botMembers(): [guildId: bigint, userId: bigint][] {
    return this.#installations.map(({ guildId, applicationId }) => [BigInt(guildId ?? 0), BigInt(applicationId)]);
  }

  /** @throws INVALID_INPUT */
  async registerCommands(): Promise<void> {
    const { set } = commandSchemas({ hasBuiltIns: this.app.config.builtInCommands });
    for (const [index, { commands }] of this.seed.applications.entries()) {
      const application = this.built.applications[index];
      if (commands.length === 0 || !application) continue;
      const body = await parseInTurns(set, commands, `applications.${index}.commands`);
      const user = await this.app.db.reader.user.findUniqueOrThrow({ where: { id: application.id } });
      const actor = { kind: 'bot', user, applicationId: application.id, messageContentIntent: true } as const;
      await overwriteCommands(callContext(this.app, actor), { applicationId: application.id, guildId: null }, body);
    }
  }

  async #insertContent(db: Transaction): Promise<void> {
    await db.guild.createMany({ data: this.#guilds });
    await db.role.createMany({ data: this.#roles });
    await db.channel.createMany({ data: this.#channels });
    await db.channelOverwrite.createMany({ data: this.#overwrites });
    await db.member.createMany({ data: this.#members });
    await db.memberRole.createMany({ data: this.#memberRoles });
    if (this.bots) return;
    await db.installation.createMany({ data: this.#installations });
    await db.commandPermission.createMany({ data: this.#permissions });
  }

  #person(person: PersonSeed, index: number): Named {
    const first = this.seed.people.findIndex(({ name }) => name === person.name);
    if (first !== index) throw repeated(`people.${index}`, person.name);
    const { user, account } = personRows(this.app, person, this.number);
    this.#users.push(user);
    this.#accounts.push(account);
    return { id: user.id, name: person.name };
  }

  #copyOfBot(bot: BuiltApplication): BuiltApplication {
    this.#users.push({ id: bot.id, username: bot.name, bot: true });
    return bot;
  }

  #application(seed: ApplicationSeed, index: number): BuiltApplication {
    const [id, now] = [this.app.nextId(), this.#at.getTime()];
    const { secret: clientSecret, columns } = createClientSecret();
    const { token, hash } = createBotToken(id, now);
    const keys = signingKeys();
    const owner = this.#personIn(seed.owner, `applications.${index}.owner`);
    const made = { at: this.#at, by: owner.id };
    this.#users.push({ id, username: seed.name, bot: true });
    this.#applications.push({
      id,
      name: seed.name,
      description: seed.description,
      ownerUserId: owner.id,
      public: seed.public,
      publicClient: seed.publicClient,
      userInstall: seed.userInstall,
      guildMembersIntent: seed.privilegedIntents.includes('GUILD_MEMBERS'),
      presencesIntent: seed.privilegedIntents.includes('PRESENCES'),
      messageContentIntent: seed.privilegedIntents.includes('MESSAGE_CONTENT'),
      interactionsEndpointUrl: seed.interactionsEndpointUrl ?? null,
      redirectUris: seed.redirectUris,
      serverInstallScopes: ['bot', 'applications.commands'],
      serverInstallPermissions: String(seed.permissions),
      userInstallScopes: ['applications.commands'],
      ...keys,
      ...columns,
      clientSecretCreatedAt: made.at,
      clientSecretCreatedById: made.by,
      botTokenHash: hash,
      botTokenLast4: token.slice(-4),
      botTokenCreatedAt: made.at,
      botTokenCreatedById: made.by,
    });
    return { id, name: seed.name, ownerId: owner.id, token, clientSecret, publicKey: keys.publicKey };
  }

  #guild(seed: GuildSeed, index: number): BuiltGuild {
    const path = `guilds.${index}`;
    const id = this.app.nextId();
    const owner = this.#personIn(seed.owner, `${path}.owner`);
    const members = new Set(
      seed.members?.map((name, at) => this.#personIn(name, `${path}.members.${at}`)) ?? this.built.people,
    ).add(owner);
    const bots = this.#botsIn(seed.name);
    const roles = this.#rolesOf(seed, id, bots, path);
    const channels = this.#channelsOf(seed, id, roles, path);
    this.#guilds.push({
      id,
      name: seed.name,
      ownerId: owner.id,
      systemChannelId: channels.find(({ type }) => type === CHANNEL_TYPES.text)?.id ?? null,
      memberCount: members.size + bots.length,
    });
    for (const { id: userId, name } of members) this.#member(id, userId, name);
    for (const { application } of bots) this.#member(id, application.id, application.name);
    for (const bot of bots) this.#install(bot, id, roles.get(bot.application.id), owner.id);
    return { id, name: seed.name, ownerId: owner.id };
  }

  #member(guildId: bigint, userId: bigint, username: string): void {
    const globalName = this.seed.people.find(({ name }) => name === username)?.displayName ?? null;
    this.#members.push({ guildId, userId, joinedAt: this.#at, ...userNameKeys({ username, globalName }) });
  }

  #botsIn(guild: string): Bot[] {
    return this.seed.applications.flatMap((seed, index) => {
      const application = this.built.applications[index];
      const isIn = seed.guilds?.includes(guild) ?? true;
      return application && isIn ? [{ seed, application }] : [];
    });
  }

  /** @returns role ids by name, and those of bots by the bot's id */
  #rolesOf(seed: GuildSeed, guildId: bigint, bots: Bot[], path: string): Map<string | bigint, bigint> {
    const roles = new Map<string | bigint, bigint>([['@everyone', guildId]]);
    const permissions = seed.everyone ?? DEFAULT_EVERYONE_PERMISSIONS;
    this.#roles.push({ id: guildId, guildId, name: '@everyone', permissions });
    for (const { seed: bot, application } of bots) {
      const id = this.app.nextId();
      roles.set(application.id, id);
      const position = roles.size - 1;
      const managed = { managed: true, applicationId: application.id, permissions: bot.permissions };
      this.#roles.push({ id, guildId, name: application.name, position, ...managed });
      this.#memberRoles.push({ guildId, userId: application.id, roleId: id });
    }
    for (const [index, { name, members, ...role }] of seed.roles.entries()) {
      const id = this.app.nextId();
      roles.set(name, id);
      this.#roles.push({ id, guildId, name, position: roles.size - 1, ...role });
      for (const [at, member] of members.entries()) {
        const { id: userId } = this.#personIn(member, `${path}.roles.${index}.members.${at}`);
        this.#memberRoles.push({ guildId, userId, roleId: id });
      }
    }
    return roles;
  }

  #channelsOf(seed: GuildSeed, guildId: bigint, roles: Map<string | bigint, bigint>, path: string) {
    const made: (Named & { type: number })[] = [];
    for (const [position, channel] of seed.channels.entries()) {
      const at = `${path}.channels.${position}`;
      const id = this.app.nextId();
      const type = CHANNEL_TYPES[channel.type];
      const parent =
        channel.category && made.find((one) => one.type === CHANNEL_TYPES.category && one.name === channel.category);
      if (channel.category && !parent) throw unknown(`${at}.category`, 'category above this channel', channel.category);
      this.#channels.push({
        id,
        guildId,
        type,
        name: channel.name,
        position,
        topic: channel.topic ?? null,
        nsfw: channel.nsfw,
        rateLimitPerUser: channel.slowMode,
        parentId: parent ? parent.id : null,
      });
      for (const [index, overwrite] of channel.overwrites.entries()) {
        this.#overwrites.push({ channelId: id, ...this.#overwrite(overwrite, roles, `${at}.overwrites.${index}`) });
      }
      made.push({ id, name: channel.name, type });
    }
    return made;
  }

  #overwrite(
    { role, person, application, allow, deny }: ChannelSeed['overwrites'][number],
    roles: Map<string | bigint, bigint>,
    path: string,
  ) {
    if (role !== undefined) {
      const targetId = roles.get(role);
      if (targetId === undefined) throw unknown(`${path}.role`, 'role', role);
      return { targetId, targetType: OverwriteType.Role, allow, deny };
    }
    const target =
      person === undefined
        ? this.built.applications.find(({ name }) => name === application)
        : this.#personIn(person, `${path}.person`);
    if (!target) throw unknown(`${path}.application`, 'application', application ?? '');
    return { targetId: target.id, targetType: OverwriteType.Member, allow, deny };
  }

  #install({ seed, application }: Bot, guildId: bigint, roleId: bigint | undefined, installerId: bigint): void {
    if (roleId === undefined) return;
    this.#installations.push({
      id: this.app.nextId(),
      applicationId: application.id,
      context: 'SERVER',
      guildId,
      installerId,
      scopes: ['bot', 'applications.commands'],
      permissions: String(seed.permissions),
    });
    if (seed.commandsFor === 'owner') return;
    const everyone = { targetType: 1, targetId: guildId, allow: true };
    this.#permissions.push({ guildId, applicationId: application.id, commandId: application.id, ...everyone });
  }

  /** @param name default: the first person */
  #personIn(name: string | undefined, path: string): Named {
    const people = this.built.people;
    const found = name === undefined ? people[0] : people.find((person) => person.name === name);
    if (!found) throw unknown(path, 'person', name ?? '');
    return found;
  }
}

interface Bot {
  seed: ApplicationSeed;
  application: BuiltApplication;
}

/** @param number of the world */
export function personRows(app: AppContext, { name, displayName = null }: PersonSeed, number: number) {
  const [id, at] = [app.nextId(), new Date(app.clock.now())];
  const email = `${name}@${number}.${EMAIL_DOMAIN}`;
  return {
    user: { id, username: name, handle: `${name}.${number}`, globalName: displayName },
    account: { id: String(id), userId: id, name, email, emailVerified: true, createdAt: at, updatedAt: at, seenAt: at },
  };
}

function unknown(path: string, what: string, name: string) {
  return invalidInput({
    path,
    code: 'BASE_TYPE_INVALID',
    message: `The world has no ${what} with the name "${name}".`,
  });
}

export function repeated(path: string, name: string) {
  return invalidInput({ path, code: 'BASE_TYPE_INVALID', message: `The name "${name}" is used twice.` });
}

/** In the format of `createSigningKeys`, whose library takes six milliseconds. */
function signingKeys(): { publicKey: string; privateKey: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
  return { publicKey: hex(x), privateKey: hex(d) };
}
