import { LRUCache } from 'lru-cache';
import { topics } from '../../infra/bus.js';
import type { Clock } from '../../infra/clock.js';
import type { Application, CommandPermission, Installation, Reader, User } from '../../infra/database/index.js';
import { Memory, remember } from '../../infra/memory.js';
import type { BusMessage, EventBus } from '../bus-message.js';
import { type CommandRecord, commandRecord } from '../commands/record.js';

/** An application with its bot. It is not deleted. */
export type ApplicationWithBot = Application & { bot: User };

/** A command and whose it is. */
export interface CommandView {
  command: CommandRecord;
  application: ApplicationWithBot;
}

/** Whether an application is installed to a guild, and to a person. */
export interface InstallationsThere {
  guild: boolean;
  person: boolean;
}

/** What is remembered of an application beside itself. */
interface Facts {
  commands: Map<bigint, Promise<CommandRecord | null>>;
  /** By guild and person. */
  installations: Map<string, Promise<InstallationsThere>>;
  /** By guild and command. */
  permissions: Map<string, Promise<CommandPermission[]>>;
}

const MAX_APPLICATIONS = 10_000;
const MAX_COMMANDS = 100_000;
/** Beyond this many facts of one kind about one application, all of that kind are forgotten and read again when needed. */
const MAX_PER_KIND = 2_000;

/**
 * What changes rarely and is asked for with every request of a bot and every interaction: applications, their bots and commands, where
 * they are installed, and what guilds say about who may run the commands. Kept in memory for half a minute at most, and dropped by the
 * applications' own events, of this process or another.
 */
export class ApplicationViews {
  readonly #memory: Memory<ApplicationWithBot, Facts, BusMessage>;
  /** A command never becomes another application's. */
  readonly #applicationOfCommand = new LRUCache<bigint, bigint>({ max: MAX_COMMANDS });

  constructor(
    private readonly reader: Reader,
    bus: EventBus,
    clock: Clock,
  ) {
    this.#memory = new Memory({
      max: MAX_APPLICATIONS,
      clock,
      bus,
      topicOf: topics.application,
      read: (id) => reader.application.findUnique({ where: { id, deletedAt: null }, include: { bot: true } }),
      empty: noFacts,
      onMessage: (id, { invalidates }) => {
        if (invalidates.includes('token')) this.#memory.forget(id);
        if (invalidates.includes('commands')) forgetFacts(this.#memory.peek(id));
      },
    });
  }

  /** Null where there is none, or no longer. */
  application(id: bigint): Promise<ApplicationWithBot | null> {
    return this.#memory.thing(id);
  }

  /** Whether anything is remembered of an application, so that it is no made-up one. */
  isRemembered(id: bigint): boolean {
    return this.#memory.peek(id) !== undefined;
  }

  /** A command of whatever scope, with its application; null where there is no such command, or its application was deleted. */
  async command(id: bigint): Promise<CommandView | null> {
    const applicationId = await this.#findApplicationOf(id);
    if (applicationId === null) return null;
    const [application, command] = await Promise.all([
      this.application(applicationId),
      remember(this.#memory.of(applicationId).commands, id, MAX_PER_KIND, () => this.#readCommand(id)),
    ]);
    return application && command && { application, command };
  }

  /** Where an application is installed, of a guild and a person. */
  installations(applicationId: bigint, guildId: bigint, userId: bigint): Promise<InstallationsThere> {
    const { installations } = this.#memory.of(applicationId);
    return remember(installations, `${guildId} ${userId}`, MAX_PER_KIND, async () => {
      const rows = await this.reader.installation.findMany({
        where: { applicationId, OR: [{ guildId }, { userId }] },
        select: { guildId: true },
      });
      return installationsIn(rows);
    });
  }

  /** All that a guild says about who may run a command: of the command itself, and of all commands of its application. */
  permissions(applicationId: bigint, guildId: bigint, commandId: bigint): Promise<CommandPermission[]> {
    const { permissions } = this.#memory.of(applicationId);
    const where = { guildId, commandId: { in: [commandId, applicationId] } };
    return remember(permissions, `${guildId} ${commandId}`, MAX_PER_KIND, () =>
      this.reader.commandPermission.findMany({ where }),
    );
  }

  async #findApplicationOf(commandId: bigint): Promise<bigint | null> {
    const known = this.#applicationOfCommand.get(commandId);
    if (known !== undefined) return known;
    // By its id alone: Prisma joins such lookups of several callers, and makes others a transaction.
    const found = await this.reader.applicationCommand.findUnique({
      where: { id: commandId },
      select: { applicationId: true },
    });
    if (!found) return null;
    this.#applicationOfCommand.set(commandId, found.applicationId);
    return found.applicationId;
  }

  async #readCommand(id: bigint): Promise<CommandRecord | null> {
    const row = await this.reader.applicationCommand.findUnique({ where: { id } });
    return row && commandRecord(row);
  }
}

/** What rows of installations to one guild and one person say. */
export function installationsIn(rows: readonly Pick<Installation, 'guildId'>[]): InstallationsThere {
  return {
    guild: rows.some(({ guildId }) => guildId !== null),
    person: rows.some(({ guildId }) => guildId === null),
  };
}

function noFacts(): Facts {
  return { commands: new Map(), installations: new Map(), permissions: new Map() };
}

function forgetFacts(facts: Facts | undefined): void {
  for (const kind of Object.values(facts ?? {})) kind.clear();
}
