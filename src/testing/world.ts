import type {
  ApplicationDescription,
  ChannelSeed,
  ConnectionFault,
  DisposalDescription,
  FaultDescription,
  FaultSeed,
  GuildDescription,
  PersonSeed,
  PresetName,
  PresetOptions,
  RoleSeed,
  Seed,
  TranscriptEntry,
  TranscriptFormat,
} from '../sandbox/protocol.js';
import { ObservedChannel } from './channels.js';
import { segment } from './control.js';
import { Person } from './person.js';
import { DEFAULT_WITHIN_MS, type Within } from './waiting.js';
import type { Method, WorldClient } from './world-client.js';

/** People, servers and bots that one test or file uses alone. Names are those of the seed; ids work as well. */
export class World {
  readonly id: string;
  /** The base address for Discord libraries, without a version: `new Client({ rest: { api: world.api } })`. */
  readonly api: string;
  readonly gateway: string;
  /** For a browser. */
  readonly portal: string;
  readonly applications: readonly Bot[];
  readonly guilds: readonly Guild[];
  readonly #people = new Map<string, Person>();

  /** @internal */
  constructor(private readonly client: WorldClient) {
    const { description } = client;
    this.id = description.id;
    this.api = description.api;
    this.gateway = description.gateway;
    this.portal = description.portal;
    this.applications = description.applications.map((application) => new Bot(client, application));
    this.guilds = description.guilds.map((guild) => new Guild(client, guild));
    for (const { id, name } of description.people) this.#people.set(name, new Person(client, id, name));
  }

  /** The bot of the first application. */
  get bot(): Bot {
    return this.application();
  }

  /** The first server. */
  get guild(): Guild {
    return this.server();
  }

  /** @param name default: the first application */
  application(name?: string): Bot {
    return named('application', this.applications, name);
  }

  /** @param name default: the first server */
  server(name?: string): Guild {
    return named('server', this.guilds, name);
  }

  person(name: string): Person {
    return named('person', [...this.#people.values()], name);
  }

  /** A channel, as the owner of its server sees it. */
  channel(name: string): ObservedChannel {
    const owner =
      this.guilds.find(({ channels }) => channels.some((one) => one.name === name))?.owner ?? this.guild.owner;
    return new ObservedChannel(this.client, name, owner);
  }

  /** Adds a person, who is in no server. */
  async addPerson(seed: string | PersonSeed): Promise<Person> {
    const body = typeof seed === 'string' ? { name: seed } : seed;
    const { id, name } = await this.client.request<{ id: string; name: string }>('POST', '/people', body);
    const person = new Person(this.client, id, name);
    this.#people.set(name, person);
    return person;
  }

  /** Adds a rule that disturbs what the platform exchanges with bots. A reset removes it. */
  async addFault(rule: FaultSeed): Promise<Fault> {
    const { id } = await this.client.request<FaultDescription>('POST', '/faults', rule);
    return new Fault(this.client, [id]);
  }

  /** Adds the rules of a preset. They count and end together. */
  async addPreset(preset: PresetName, options: PresetOptions = {}): Promise<Fault> {
    const rules = await this.client.request<FaultDescription[]>('POST', '/fault-presets', { preset, ...options });
    return new Fault(
      this.client,
      rules.map(({ id }) => id),
    );
  }

  /**
   * Lists the actions of people, bots and the platform so far, in order.
   * @param format `text` is for people, and ends with the calls to routes that do not exist
   */
  transcript(): Promise<TranscriptEntry[]>;
  transcript(format: 'jsonl' | 'text'): Promise<string>;
  transcript(format: TranscriptFormat = 'json'): Promise<TranscriptEntry[] | string> {
    return this.client.request('GET', '/transcript', undefined, { format });
  }

  /** The seed of a new world that is like this one now, without its messages. */
  exportSeed(): Promise<Seed> {
    return this.client.request('GET', '/seed');
  }

  /**
   * Returns to the seed, with the same ids. Bots stay connected; they receive GUILD_DELETE (unavailable) and
   * GUILD_CREATE. Commands that they registered stay.
   */
  async reset(): Promise<void> {
    await this.client.request('POST', '/reset');
    this.client.forgetSeen();
  }

  /**
   * Removes everything in the world, and ends the sessions of its bots. Warns on stderr if they called routes that do
   * not exist. `causeway sandbox -- …` does so at its end instead.
   */
  async dispose(): Promise<void> {
    const { warning } = await this.client.request<DisposalDescription>('DELETE', '');
    if (warning !== null && !this.client.isSurrounding) process.stderr.write(warning);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

/** A rule that disturbs, or the rules of a preset. */
export class Fault {
  /** @internal */
  constructor(
    private readonly world: WorldClient,
    private readonly ids: readonly string[],
  ) {}

  /** How often the rules took effect. */
  async applied(): Promise<number> {
    const faults = await this.world.request<FaultDescription[]>('GET', '/faults');
    return faults.filter(({ id }) => this.ids.includes(id)).reduce((sum, { applied }) => sum + applied, 0);
  }

  async remove(): Promise<void> {
    for (const id of this.ids) await this.world.request('DELETE', `/faults/${id}`);
  }
}

/** An application of the world, with its bot. */
export class Bot {
  /** Also the client id, and the id of the bot. */
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly clientSecret: string;
  /** In hex. */
  readonly publicKey: string;

  /** @internal */
  constructor(
    private readonly world: WorldClient,
    { id, name, token, clientSecret, publicKey }: ApplicationDescription,
  ) {
    this.id = id;
    this.name = name;
    this.token = token;
    this.clientSecret = clientSecret;
    this.publicKey = publicKey;
  }

  /** Waits until the bot has a gateway session. @throws SandboxError BOT_NOT_CONNECTED */
  async ready({ withinMs = DEFAULT_WITHIN_MS }: Within = {}): Promise<void> {
    await this.world.request('GET', `/applications/${this.id}/connected`, undefined, { withinMs });
  }

  /** Sets the endpoint that receives interactions over HTTP. The platform tests it first. Null removes it. */
  async setEndpoint(url: string | null): Promise<void> {
    await this.world.request('PATCH', `/applications/${this.id}`, { interactionsEndpointUrl: url });
  }

  /** Closes its gateway connections with a code, or sends RECONNECT or INVALID_SESSION, now. */
  async disturb(fault: ConnectionFault): Promise<void> {
    await this.world.request('POST', `/applications/${this.id}/disturbances`, fault);
  }

  /** Waits until the bot has no gateway session. @throws SandboxError BOT_CONNECTED */
  async disconnected({ withinMs = DEFAULT_WITHIN_MS }: Within = {}): Promise<void> {
    await this.world.request('GET', `/applications/${this.id}/disconnected`, undefined, { withinMs });
  }
}

/** A server. Its methods change it without the checks of a person's permissions. */
export class Guild {
  readonly id: string;
  readonly name: string;
  /** Those of the seed. */
  readonly channels: GuildDescription['channels'];
  /** Those of the seed. */
  readonly roles: GuildDescription['roles'];
  /** The id of its owner. */
  readonly owner: string;
  /** Whether it is on the box of the world. */
  readonly isOnBox: boolean;

  /** @internal */
  constructor(
    private readonly world: WorldClient,
    { id, name, channels, roles, owner, isOnBox }: GuildDescription,
  ) {
    this.id = id;
    this.name = name;
    this.channels = channels;
    this.roles = roles;
    this.owner = owner;
    this.isOnBox = isOnBox;
  }

  async createChannel(
    seed: string | Omit<ChannelSeed, 'category' | 'overwrites'>,
  ): Promise<{ id: string; name: string }> {
    return this.#request('POST', '/channels', typeof seed === 'string' ? { name: seed } : seed);
  }

  async createRole(seed: string | Omit<RoleSeed, 'members'>): Promise<{ id: string; name: string }> {
    return this.#request('POST', '/roles', typeof seed === 'string' ? { name: seed } : seed);
  }

  async addMember(person: string): Promise<void> {
    await this.#request('PUT', `/members/${segment(person)}`);
  }

  /** @param person also an application, like in all methods below */
  async removeMember(person: string): Promise<void> {
    await this.#request('DELETE', `/members/${segment(person)}`);
  }

  async addRole(person: string, role: string): Promise<void> {
    await this.#request('PUT', `/members/${segment(person)}/roles/${segment(role)}`);
  }

  async removeRole(person: string, role: string): Promise<void> {
    await this.#request('DELETE', `/members/${segment(person)}/roles/${segment(role)}`);
  }

  /** @param until null ends the timeout */
  async timeOut(person: string, until: Date | null): Promise<void> {
    await this.#request('PATCH', `/members/${segment(person)}`, { timeoutUntil: until?.toISOString() ?? null });
  }

  #request<Result>(method: Method, path: string, body?: object): Promise<Result> {
    return this.world.request(method, `/guilds/${this.id}${path}`, body);
  }
}

function named<Thing extends { id: string; name: string }>(
  what: string,
  things: readonly Thing[],
  name?: string,
): Thing {
  const found = name === undefined ? things[0] : things.find((thing) => thing.name === name || thing.id === name);
  if (found) return found;
  const known = things.map((thing) => thing.name).join(', ');
  throw new Error(`The world has no ${what} "${name ?? ''}". It has: ${known === '' ? 'none' : known}.`);
}
