import { LoadingCache } from '../../infra/caching/loading-cache.js';
import { getOrLoad, SubscribedCache } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import type { Application, CommandPermission, Installation, Reader, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { BusMessage, EventBus } from '../bus-message.js';
import { type CommandRecord, commandRecord } from '../commands/record.js';

export type ApplicationWithBot = Application & { bot: User };

export interface CommandView {
  command: CommandRecord;
  application: ApplicationWithBot;
}

export interface InstallationsThere {
  guild: boolean;
  person: boolean;
}

/** Of an application that can act. */
export const ACTIVE = { deletedAt: null, suspendedAt: null } as const;

interface CachedParts {
  commands: Map<bigint, Promise<CommandRecord | null>>;
  /** Key: guild and person. */
  installations: Map<string, Promise<InstallationsThere>>;
  /** Key: guild and command. */
  permissions: Map<string, Promise<CommandPermission[]>>;
}

const MAX_APPLICATIONS = 10_000;
const MAX_COMMANDS = 100_000;
/** Per application. At this number of entries, all of that kind are dropped. */
const MAX_PER_KIND = 2_000;

/**
 * Caches data that bot requests and interactions need, for at most 30 seconds. The application's events drop entries in
 * all processes.
 */
export class ApplicationViews {
  readonly #cache: SubscribedCache<ApplicationWithBot, CachedParts, BusMessage>;
  /** A command never moves to another application. */
  readonly #applicationOfCommand = new LoadingCache<bigint, bigint>({
    max: MAX_COMMANDS,
    load: (id) => this.#readApplicationOf(id),
  });

  constructor(
    private readonly reader: Reader,
    bus: EventBus,
    clock: Clock,
  ) {
    this.#cache = new SubscribedCache({
      max: MAX_APPLICATIONS,
      clock,
      bus,
      topicOf: topics.application,
      read: (id) => reader.application.findUnique({ where: { id, ...ACTIVE }, include: { bot: true } }),
      empty: emptyParts,
      onMessage: (id, { invalidates }) => {
        if (invalidates.includes('token')) this.#cache.forget(id);
        if (invalidates.includes('commands')) dropParts(this.#cache.peek(id));
      },
    });
  }

  /** Null if missing, deleted or suspended. */
  application(id: bigint): Promise<ApplicationWithBot | null> {
    return this.#cache.thing(id);
  }

  /** True if the application is cached, and therefore exists. */
  isRemembered(id: bigint): boolean {
    return this.#cache.peek(id) !== undefined;
  }

  /** Null if the command is unknown, or its application deleted or suspended. */
  async command(id: bigint): Promise<CommandView | null> {
    const applicationId = await this.#applicationOfCommand.get(id);
    if (applicationId === null) return null;
    const [application, command] = await Promise.all([
      this.application(applicationId),
      getOrLoad(this.#cache.of(applicationId).commands, id, MAX_PER_KIND, () => this.#readCommand(id)),
    ]);
    return application && command && { application, command };
  }

  installations(applicationId: bigint, guildId: bigint, userId: bigint): Promise<InstallationsThere> {
    const { installations } = this.#cache.of(applicationId);
    return getOrLoad(installations, `${guildId} ${userId}`, MAX_PER_KIND, async () => {
      const rows = await this.reader.installation.findMany({
        where: { applicationId, OR: [{ guildId }, { userId }] },
        select: { guildId: true },
      });
      return installationsIn(rows);
    });
  }

  /** Includes entries for all the application's commands. */
  permissions(applicationId: bigint, guildId: bigint, commandId: bigint): Promise<CommandPermission[]> {
    const { permissions } = this.#cache.of(applicationId);
    const where = { guildId, commandId: { in: [commandId, applicationId] } };
    return getOrLoad(permissions, `${guildId} ${commandId}`, MAX_PER_KIND, () =>
      this.reader.commandPermission.findMany({ where }),
    );
  }

  async #readApplicationOf(commandId: bigint): Promise<bigint | null> {
    // Prisma batches lookups by id alone, but wraps others in a transaction.
    const found = await this.reader.applicationCommand.findUnique({
      where: { id: commandId },
      select: { applicationId: true },
    });
    return found?.applicationId ?? null;
  }

  async #readCommand(id: bigint): Promise<CommandRecord | null> {
    const row = await this.reader.applicationCommand.findUnique({ where: { id } });
    return row && commandRecord(row);
  }
}

export function installationsIn(rows: readonly Pick<Installation, 'guildId'>[]): InstallationsThere {
  return {
    guild: rows.some(({ guildId }) => guildId !== null),
    person: rows.some(({ guildId }) => guildId === null),
  };
}

function emptyParts(): CachedParts {
  return { commands: new Map(), installations: new Map(), permissions: new Map() };
}

function dropParts(facts: CachedParts | undefined): void {
  for (const kind of Object.values(facts ?? {})) kind.clear();
}
