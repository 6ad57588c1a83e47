import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config.js';
import type { AppContext } from '../../context.js';
import { createBox } from '../../domain/boxes/index.js';
import type { CallContext } from '../../domain/call.js';
import { systemClock } from '../../infra/clock.js';
import type { Prisma, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type Dial, dialRelay } from '../../relay/box/index.js';
import { createServer, type Server } from '../../server.js';
import type { SandboxClock } from '../clock.js';
import { until } from '../waiting.js';
import { type BuiltApplication, type BuiltGuild, type Named, WorldRows } from './build.js';
import { removeContent, scopeOfWorld } from './restore.js';
import type { Seed } from './seed.js';

/** Of the instance. */
export interface BoxSettings {
  clock: SandboxClock;
  /** A SQLite file with all migrations. It need not exist. */
  database: string;
  env: Readonly<Record<string, string>>;
}

export interface WorldBoxParts {
  settings: BoxSettings;
  cloud: AppContext;
  /** The call of a person of the cloud, who will own the box. */
  owner: CallContext;
  seed: Seed;
  /** Of the world. */
  number: number;
  applications: readonly BuiltApplication[];
  isOffline(): boolean;
  /** Called when a connection was cut or refused. */
  onRefused(): void;
}

/** So that the box of a test is back soon: at most 3 s after the line is mended (docs/relay.md, R-41). */
const SHARE_OF_WAITS = 0.05;

const CONNECTED_WITHIN_MS = 10_000;

/** The self-hosted server of a world: another instance of the platform, with its own data, connected to this one. */
export class WorldBox {
  readonly #line = new Set<{ cut(): void }>();
  #server: Server | null = null;
  #rows: WorldRows | null = null;

  private constructor(
    private readonly parts: WorldBoxParts,
    readonly id: bigint,
    private readonly token: string,
    private readonly dataDir: string,
  ) {}

  /** @throws INVALID_INPUT for a name that the seed does not have */
  static async create(parts: WorldBoxParts): Promise<WorldBox> {
    const { box, enrolmentToken } = await createBox(parts.owner, { name: 'Box' });
    const dataDir = await mkdtemp(join(tmpdir(), 'causeway-sandbox-box-'));
    const created = new WorldBox(parts, box.id, enrolmentToken, dataDir);
    try {
      const { database } = parts.settings;
      if (existsSync(database)) await copyFile(database, join(dataDir, 'causeway.db'));
      await created.#open();
      created.#rows = created.#build();
      // The cloud would take bots that it does not know there for strangers.
      await parts.cloud.callOfNobody().write(({ db }) => created.install(db));
      await created.#start((db) => created.rows.insert(db));
      return created;
    } catch (error) {
      await created.dispose();
      throw error;
    }
  }

  private get rows(): WorldRows {
    if (!this.#rows) throw new Error('The box has no data yet.');
    return this.#rows;
  }

  get app(): AppContext {
    if (!this.#server) throw new Error('The box is not running.');
    return this.#server.app;
  }

  /** Users of the box, with the names of those in the cloud. */
  get people(): ReadonlyMap<string, Named> {
    return new Map(this.rows.built.people.map((person) => [person.name, person]));
  }

  get guilds(): readonly BuiltGuild[] {
    return this.rows.built.guilds;
  }

  /** Server and bot of each bot that is in a server. */
  botMembers(): [guildId: bigint, userId: bigint][] {
    return this.rows.botMembers();
  }

  /** Installs the bots in the cloud, which decides about them. */
  async install(db: Transaction): Promise<void> {
    const { cloud, owner } = this.parts;
    const installerId = owner.actor.kind === 'person' ? owner.actor.user.id : 0n;
    const data = this.rows.installations.map(
      (row): Prisma.InstallationCreateManyInput => ({ ...row, id: cloud.nextId(), installerId }),
    );
    await db.installation.createMany({ data });
  }

  /** Ends the connection. The next ones are refused while the box is offline. */
  cut(): void {
    for (const outlet of this.#line) {
      outlet.cut();
      this.parts.onRefused();
    }
    this.#line.clear();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.stop();
  }

  /** After {@link stop}. Returns to the seed, with the same ids. */
  async restart(): Promise<void> {
    await this.#open();
    const people = [...this.people.values()].map(({ id }) => id);
    await this.#start(async (db) => {
      const bots = this.parts.applications.map(({ id }) => id);
      const scope = await scopeOfWorld(db, people);
      await removeContent(db, { ...scope, applications: bots });
      await this.rows.restore(db);
    });
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    const { cloud, settings } = this.parts;
    const config = readConfig(
      {
        ...settings.env,
        PORT: '0',
        DATA_DIR: this.dataDir,
        RATE_LIMITS: 'off',
        CLOUD_URL: cloud.addresses.publicUrl,
        BOX_TOKEN: this.token,
      },
      'box',
    );
    this.#server = await createServer(config, {
      clock: settings.clock,
      connectionClock: systemClock,
      random: () => SHARE_OF_WAITS,
      interceptors: { dial: this.#dial },
    });
  }

  readonly #dial: Dial = (url, serve, onFailed) => {
    if (this.parts.isOffline()) {
      this.parts.onRefused();
      const failing = setImmediate(() => onFailed(new Error('a fault of the sandbox cuts the line')));
      return () => clearImmediate(failing);
    }
    return dialRelay(
      url,
      (outlet) => {
        this.#line.add(outlet);
        return serve(outlet);
      },
      onFailed,
    );
  };

  #build(): WorldRows {
    const { seed, number, applications } = this.parts;
    const guilds = seed.guilds.filter(({ box }) => box);
    return new WorldRows(this.app, { ...seed, guilds }, number, applications);
  }

  /** Writes the rows before the box connects, so that its first announcement is complete. */
  async #start(write: (db: Transaction) => Promise<void>): Promise<void> {
    const { cloud } = this.parts;
    const { app } = this;
    await app.callOfNobody().write(({ db }) => write(db));
    const where = { id: this.id };
    const { generation: before } = await cloud.db.reader.box.findUniqueOrThrow({ where });
    await this.#server?.start();
    const isServing = await until(cloud, [topics.box(this.id), topics.boxes], CONNECTED_WITHIN_MS, async () => {
      const { holderId, generation } = await cloud.db.reader.box.findUniqueOrThrow({ where });
      const known = await cloud.db.reader.boxGuild.count({ where: { boxId: this.id } });
      return holderId !== null && generation > before && known === this.guilds.length ? true : null;
    });
    if (!isServing) throw new Error(`The box did not connect within ${CONNECTED_WITHIN_MS} ms.`);
  }
}
