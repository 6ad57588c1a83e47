import { type AppContext, callContext } from '../../context.js';
import type { CallContext } from '../../domain/call.js';
import { becomeMember } from '../../domain/members/index.js';
import type { Channel, Role } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { BotConnections } from '../connections.js';
import { notFound, SandboxError } from '../errors.js';
import { Faults, isOfBox } from '../faults/rules.js';
import type { FaultDescription, FaultSeed } from '../protocol.js';
import { Transcript } from '../transcript.js';
import { type BoxSettings, WorldBox } from './box.js';
import { type BuiltApplication, type BuiltGuild, type Named, personRows, repeated, WorldRows } from './build.js';
import { removeContent, removeOwners, scopeOfWorld, type WorldScope } from './restore.js';
import type { PersonSeed, Seed } from './seed.js';

/**
 * People, servers and applications that a test uses alone. Worlds share an instance and cannot see each other. Names
 * are those of the seed; an id works wherever a name does.
 */
export class World {
  readonly transcript = new Transcript();
  readonly faults = new Faults((rule) => void this.#faultEnded(rule));
  #box: WorldBox | null = null;
  readonly people = new Map<string, Named>();
  readonly applications: readonly BuiltApplication[];

  private constructor(
    readonly id: string,
    readonly app: AppContext,
    readonly seed: Seed,
    private readonly rows: WorldRows,
  ) {
    for (const person of rows.built.people) this.people.set(person.name, person);
    this.applications = rows.built.applications;
  }

  /** @throws INVALID_INPUT for a name that the seed does not have, and for an invalid command */
  static async create(app: AppContext, seed: Seed, number: number, boxes: BoxSettings): Promise<World> {
    const inCloud = { ...seed, guilds: seed.guilds.filter(({ box }) => !box) };
    const rows = new WorldRows(app, inCloud, number);
    await app.callOfNobody().write(({ db }) => rows.insert(db));
    const world = new World(String(number), app, seed, rows);
    try {
      await rows.registerCommands();
      if (inCloud.guilds.length < seed.guilds.length) await world.#addBox(number, boxes);
    } catch (error) {
      await world.dispose();
      throw error;
    }
    return world;
  }

  async #addBox(number: number, settings: BoxSettings): Promise<void> {
    const [first] = this.people.keys();
    const owner = await this.as(first ?? '');
    const box = await WorldBox.create({
      settings,
      cloud: this.app,
      owner,
      seed: this.seed,
      number,
      applications: this.applications,
      isOffline: () => this.faults.isBoxOffline,
      onRefused: () => this.faults.noteOfflineBox(),
    });
    this.#box = box;
  }

  /** Null if no server of the seed is on a box. */
  get box(): WorldBox | null {
    return this.#box;
  }

  /** Those on the box come last. */
  get guilds(): readonly BuiltGuild[] {
    return this.#box ? [...this.rows.built.guilds, ...this.#box.guilds] : this.rows.built.guilds;
  }

  /** The instance that has a server: the box, or the cloud. */
  at(guildId: bigint | null): { app: AppContext; people: ReadonlyMap<string, Named> } {
    return this.#box && this.isOnBox(guildId) ? this.#box : this;
  }

  isOnBox(guildId: bigint | null): boolean {
    return this.#box?.guilds.some(({ id }) => id === guildId) ?? false;
  }

  /** @throws SandboxError for an application, a server or a box that the world does not have */
  addFault(rule: FaultSeed): FaultDescription {
    if ('application' in rule && rule.application !== undefined) this.application(rule.application);
    const guild = 'guild' in rule ? this.guild(rule.guild) : null;
    if (isOfBox(rule) && !this.#box) {
      throw new SandboxError(409, 'NO_BOX', 'The world has no box: give a server of its seed "box: true".');
    }
    const added = this.faults.add(rule);
    if (guild) this.#hideGuild(guild);
    if (isOfBox(rule) && rule.effect.type === 'offline') {
      this.transcript.add({ kind: 'fault', text: 'The line of the box is cut.' });
      this.#box?.cut();
    }
    return added;
  }

  async #faultEnded(rule: FaultSeed): Promise<void> {
    if (isOfBox(rule) && rule.effect.type === 'offline') {
      this.transcript.add({ kind: 'fault', text: 'The line of the box is mended.' });
    }
    if (!('guild' in rule)) return;
    const guild = this.guild(rule.guild);
    if (this.faults.isUnavailable(guild)) return;
    // Bots that connected in the meantime did not receive GUILD_CREATE, so that they need it too.
    this.#hideGuild(guild);
    const bots = await this.app.db.reader.member.findMany({
      where: { guildId: guild.id, userId: { in: this.applications.map(({ id }) => id) } },
      select: { userId: true },
    });
    for (const { userId } of bots) this.app.publish({ type: 'GUILD_JOINED', guildId: guild.id, userId });
  }

  #hideGuild({ id }: BuiltGuild): void {
    this.app.publish({ type: 'GUILD_DELETE', guildId: id, unavailable: true });
  }

  /** Adds a person who is in no server. @throws INVALID_INPUT for a name that is taken */
  async addPerson(seed: PersonSeed): Promise<Named> {
    if (this.people.has(seed.name)) throw repeated('name', seed.name);
    const { user, account } = personRows(this.app, seed, Number(this.id));
    const person = { id: user.id, name: seed.name };
    this.people.set(seed.name, person);
    await this.app.callOfNobody().write(async ({ db }) => {
      await db.user.create({ data: user });
      await db.authUser.create({ data: account });
    });
    return person;
  }

  /** Makes a person a member without an invite. */
  async join({ id: guildId }: BuiltGuild, { id: userId }: Named): Promise<void> {
    const call = this.at(guildId).app.callOfNobody();
    await call.write((write) => becomeMember(call, write, { guildId, userId }), {
      streams: [topics.guild(guildId), topics.user(userId)],
    });
  }

  /**
   * The call context of a person, whose permissions the platform checks.
   * @param guildId the server in which they act
   */
  as(name: string, guildId: bigint | null = null): Promise<CallContext> {
    return this.#callOf(this.person(name, guildId).id, guildId);
  }

  /** @param channel as in {@link channel} */
  async asIn(name: string, channel: string): Promise<CallContext> {
    return this.as(name, this.#box && (await this.channel(channel)).guildId);
  }

  /** The call context of the owner of a server or an application, who may do everything with it. */
  asOwnerOf({ id, ownerId }: Pick<BuiltGuild, 'id' | 'ownerId'>): Promise<CallContext> {
    return this.#callOf(ownerId, id);
  }

  async #callOf(id: bigint, guildId: bigint | null): Promise<CallContext> {
    const { app } = this.at(guildId);
    const user = await app.db.reader.user.findUniqueOrThrow({ where: { id } });
    return callContext(app, { kind: 'person', user });
  }

  /** @param guildId a server, because people have other ids on the box */
  person(name: string, guildId: bigint | null = null): Named {
    const { people } = this.at(guildId);
    // In the server, people have the names of those in the cloud, whose ids work everywhere.
    const known = [...people.values(), ...this.people.values()].find(({ id }) => String(id) === name);
    const found = people.get(known?.name ?? name);
    if (!found) throw notFound('person', name, [...people.keys()]);
    return found;
  }

  /** A person, or the bot of an application. */
  memberNamed({ id: guildId }: BuiltGuild, name: string): Named {
    return this.applications.find((one) => one.name === name || String(one.id) === name) ?? this.person(name, guildId);
  }

  /** @param name default: the only one, or the first */
  application(name?: string): BuiltApplication {
    return find('application', this.applications, name);
  }

  /** @param name default: the first */
  guild(name?: string): BuiltGuild {
    return find('server', this.guilds, name);
  }

  /**
   * Also finds channels that were made since, and direct channels by their ids.
   * @param name `general`, `#general`, `Server/general` or an id
   */
  async channel(name: string): Promise<Channel> {
    const readers = [this.app, ...(this.#box ? [this.#box.app] : [])].map(({ db }) => db.reader);
    const id = parseSnowflake(name);
    if (id !== undefined) {
      for (const reader of readers) {
        const found = await reader.channel.findUnique({ where: { id } });
        if (found) return found;
      }
    }
    const at = name.lastIndexOf('/');
    const guilds = at < 0 ? this.guilds : [this.guild(name.slice(0, at))];
    const where = { guildId: { in: guilds.map((guild) => guild.id) } };
    const orderBy = [{ type: 'asc' }, { id: 'asc' }] as const;
    const listed = readers.map((reader) => reader.channel.findMany({ where, orderBy: [...orderBy] }));
    const channels = (await Promise.all(listed)).flat();
    const wanted = name.slice(at + 1).replace(/^#/, '');
    const found = channels.find((channel) => channel.name === wanted);
    if (found) return found;
    throw notFound(
      'channel',
      name,
      channels.map((channel) => channel.name),
    );
  }

  async role(guild: BuiltGuild, name: string): Promise<Role> {
    const roles = await this.at(guild.id).app.db.reader.role.findMany({ where: { guildId: guild.id } });
    const found = roles.find((role) => role.name === name || String(role.id) === name);
    if (found) return found;
    throw notFound(
      'role',
      name,
      roles.map((role) => role.name),
    );
  }

  /**
   * Returns to the seed, with the same ids. Sessions of bots stay; they receive GUILD_DELETE (unavailable) and
   * GUILD_CREATE for each server. Commands that bots registered stay too, because bots register them only when they
   * start.
   */
  async reset(connections: BotConnections): Promise<void> {
    this.faults.clear();
    const scope = await this.#scope();
    const added = {
      people: [...this.people.values()]
        .filter((person) => !this.rows.built.people.includes(person))
        .map(({ id }) => id),
      applications: scope.applications.filter((id) => !this.applications.some((application) => application.id === id)),
      teams: scope.teams,
    };
    await this.#box?.stop();
    await this.app.callOfNobody().write(async ({ db }) => {
      await removeContent(db, scope);
      await removeOwners(db, added);
      await this.rows.restore(db);
      await this.#box?.install(db);
    });
    for (const person of [...this.people.values()])
      if (added.people.includes(person.id)) this.people.delete(person.name);
    this.#announceChanges();
    for (const guild of this.rows.built.guilds) this.#hideGuild(guild);
    const members = this.rows.botMembers();
    const sent = [...members, ...(this.#box?.botMembers() ?? [])].map(([guildId, userId]) =>
      connections.untilGuildIsSent(userId, guildId),
    );
    for (const [guildId, userId] of members) this.app.publish({ type: 'GUILD_JOINED', guildId, userId });
    // A box that begins again shows its servers to the bots.
    await this.#box?.restart();
    await Promise.all(sent);
    this.transcript.add({ kind: 'world', text: 'The world was reset.' });
  }

  /** Removes everything, and ends the sessions of its bots. */
  async dispose(): Promise<void> {
    this.faults.clear();
    await this.#box?.dispose();
    const scope = await this.#scope();
    await this.app.callOfNobody().write(async ({ db }) => {
      await removeContent(db, scope);
      await removeOwners(db, scope);
    });
    for (const { id } of this.guilds) this.app.publish({ type: 'GUILD_DELETE', guildId: id, unavailable: false });
    this.#announceChanges();
    for (const { id } of this.people.values()) this.app.publish({ type: 'SESSION_ENDED', userId: id });
  }

  #scope(): Promise<WorldScope> {
    return scopeOfWorld(
      this.app.db.reader,
      [...this.people.values()].map(({ id }) => id),
    );
  }

  /** Drops what the caches of the platform hold. */
  #announceChanges(): void {
    for (const { id } of this.applications) {
      this.app.publish({ type: 'BOT_TOKEN_RESET', applicationId: id });
      this.app.publish({ type: 'COMMAND_ACCESS_UPDATED', applicationId: id });
    }
    for (const { id } of this.people.values()) this.app.publish({ type: 'PORTAL_HOME_UPDATED', userId: id });
  }
}

function find<Thing extends Named>(what: string, things: readonly Thing[], name: string | undefined): Thing {
  const found = name === undefined ? things[0] : things.find((one) => one.name === name || String(one.id) === name);
  if (!found)
    throw notFound(
      what,
      name ?? '',
      things.map((one) => one.name),
    );
  return found;
}
