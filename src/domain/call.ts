import type { Locale } from 'discord-api-types/v10';
import type { BlobStore } from '../infra/blobs.js';
import type { Clock } from '../infra/clock.js';
import type { Application, Interaction, Reader, Transaction, User, Webhook } from '../infra/database/index.js';
import type { NextId } from '../infra/ids.js';
import type { Logger } from '../infra/logger.js';
import type { Mail } from '../infra/mail.js';
import type { Outbound } from '../infra/outbound.js';
import type { RateLimits } from '../infra/rate-limits.js';
import type { SlowHashes } from '../infra/slow-hashes.js';
import type { ApplicationViews } from './applications/views.js';
import type { AuditRecord } from './audit-log/actions.js';
import type { BoxDoor } from './boxes/door.js';
import type { BoxRoutes } from './boxes/routes.js';
import type { EventBus } from './bus-message.js';
import type { Recipients } from './channels/recipients.js';
import { DomainError } from './errors.js';
import type { ChannelPlace, DomainEvent } from './events.js';
import type { GuildHome } from './guilds/home.js';
import type { Scope } from './installations/scopes.js';
import type { Endpoints } from './interactions/endpoint.js';
import type { Ping } from './interactions-endpoints/ping.js';
import type { DomainJob } from './job-payloads.js';
import type { ShownPresence, Status } from './presences/record.js';

/** Who is calling. */
export type Actor =
  /** Somebody who showed no credential. */
  | { kind: 'anonymous' }
  /** A person with a portal session. */
  | { kind: 'person'; user: User }
  /** An application's bot, whose id is the application's. */
  | { kind: 'bot'; user: User; applicationId: bigint; messageContentIntent: boolean }
  /** An application that acts for a person, within what they granted it (OAuth2). */
  | {
      kind: 'token';
      user: User;
      applicationId: bigint;
      scopes: readonly Scope[];
      expiresAt: Date;
      /** Whether the application got it for itself, by its own credentials, and no person was asked (RFC 6749, section 4.4). */
      clientCredentials?: boolean;
    }
  /** An application with the token of an interaction, for what concerns that interaction; `user` is its bot. */
  | { kind: 'interaction'; user: User; interaction: Interaction; application: Application & { bot: User } }
  /** Whoever has the token of a webhook, for what concerns that webhook; `user` is its application's bot. */
  | {
      kind: 'webhook';
      user: User;
      webhook: Webhook;
      application: Pick<Application, 'id' | 'messageContentIntent'> & { bot: User };
      /** Whether webhook and application are a cloud's, which has looked at them, and this is its box. */
      isOfCloud?: boolean;
    };

/** An actor who is a user: somebody who can send, join and be mentioned. A token only speaks for one. */
export type UserActor = Extract<Actor, { kind: 'person' | 'bot' }>;

/** One transaction. Inside it, everything reads and writes through `db`. */
export interface Write {
  db: Transaction;
  /** Notes what happened; published after the commit, in the order of the calls. */
  record(event: DomainEvent): void;
  /** Notes a mail; sent after the commit. A mail that fails is logged, and fails nothing else. */
  mail(mail: Mail): void;
  /**
   * Adds a job, unless one with its key waits: it will be done if, and only if, this transaction is committed, by an attempt that begins
   * after that.
   */
  addJob(job: DomainJob): Promise<void>;
  /**
   * Writes an entry of the audit ledger, with the caller as actor and the caller's stated reason. One that the guild's audit log shows is
   * an event, too. @throws UNKNOWN_GUILD for one of a guild that was deleted meanwhile
   */
  audit(entry: AuditRecord): Promise<void>;
}

export interface WriteOptions {
  /** For a limit that counts rows, or anything else that must not run beside its like: repeated when it conflicts. */
  serializable?: boolean;
}

export interface WriteOneOptions {
  /**
   * The channel without which nothing is written: what ends it, or what stands in it, is told after this, although this may be answered later.
   * Where it is not given, the statement may itself have waited for others, and is told after them.
   */
  onlyWithin?: Pick<ChannelPlace, 'guildId' | 'channelId'>;
}

/** Who notes that nobody did in time what had to be done. */
interface OverdueWatch {
  /** Has it looked at at that time, in milliseconds since the Unix epoch. */
  lookAt(time: number): void;
}

/** This process, as far as what belongs to it counts. */
interface Life {
  /** What rows of its connections belong to. */
  readonly id: string;
  /** Rows count that belong to a process which lives longer than this. */
  now(): Date;
}

/** The connections to this process by which people and bots are there. */
interface OpenConnections {
  isOpen(id: string): boolean;
  /** A connection is about to be in voice; with it ends its voice state. */
  holdVoice(id: string): void;
  /** All of a person's connections say the same; null where they have none. */
  setStatus(userId: bigint, status: Status): Promise<ShownPresence | null>;
}

/** How many members are online. */
interface OnlineCounts {
  /** About how many of each guild's are, by the guilds' ids. */
  of(guildIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>>;
}

/** When things were used last, which is stored now and then. */
interface Uses {
  note(id: bigint): void;
}

/** How much each account may store. */
interface Quota {
  /** Counts what is about to be stored, in bytes. @throws LIMIT_EXCEEDED */
  take(accountId: bigint, sizes: readonly number[]): Promise<void>;
}

/** What a domain function is handed: who calls, and everything it may use. Made for each call. */
export interface CallContext {
  actor: Actor;
  requestId: string;
  /**
   * Names the piece of work that this call does, where whoever asks may ask for it again without knowing whether it was done; null elsewhere.
   */
  workKey: string | null;
  /** In which language the caller reads; null where that is not known. */
  locale: Locale | null;
  /** The caller's reason for the change, for the audit ledger. */
  auditReason: string | null;
  /** The same call, with a reason for the change. */
  because(reason: string): CallContext;
  log: Logger;
  clock: Clock;
  nextId: NextId;
  blobs: BlobStore;
  /** How much the files of one account's messages may take. */
  fileQuota: Quota;
  limits: RateLimits;
  /** Requests to addresses that somebody else chose. */
  outbound: Outbound;
  /** Where guilds live: what decides access in them. */
  guilds: GuildHome;
  /** Which boxes have which guilds. */
  boxRoutes: BoxRoutes;
  /** Whether webhooks work in guilds on boxes, by this instance's settings (decisions 1). */
  hasBoxWebhooks: boolean;
  /** Whether there are built-in commands, by this instance's settings (decisions 381). */
  hasBuiltIns: boolean;
  /** The way to boxes. */
  boxes: BoxDoor;
  /** Who is in direct channels. */
  recipients: Pick<Recipients, 'of'>;
  /** What is remembered of applications, for what happens with every interaction. */
  applications: ApplicationViews;
  /** What happens, in whatever process. */
  bus: Pick<EventBus, 'subscribe'>;
  /** The way to applications' interactions endpoints. */
  endpoints: Endpoints;
  /** Of secrets that whoever guesses may try often. */
  slowHashes: SlowHashes;
  /** Looks after interactions that nobody answers in time. */
  overdue: OverdueWatch;
  /** This process's life. */
  live: Life;
  /** The connections to this process. */
  connections: OpenConnections;
  /** How many members of a guild are online. */
  presenceCounts: OnlineCounts;
  /** Of webhooks. */
  executions: Uses;
  /** The origin of this instance, as it names itself to others. */
  publicUrl: string;
  /** Where the portal's pages are, for links in mails. */
  portalUrl: string;
  /** The page for who does not know their password, for links in mails. */
  passwordUrl: string;
  /** The door for reads outside a transaction. */
  read: Reader;
  /** The door for writes: one transaction, its events published after the commit. */
  write<T>(work: (write: Write) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * The door for a hot write without an audit entry: one operation of the database client, which is one statement, or a row with rows of its
   * own in a transaction of the client's. `event` is published after it.
   */
  writeOne<T>(
    statement: (db: Transaction) => Promise<T>,
    event?: (row: T) => DomainEvent | null,
    options?: WriteOneOptions,
  ): Promise<T>;
  /** Publishes something that is stored nowhere, such as typing. What fails is logged. */
  announce(event: DomainEvent): void;
  /** What an interactions endpoint is probed with, as the wire has it. */
  renderPing(ping: Ping): string;
}

/** The caller as a user. @throws UNAUTHENTICATED, and FORBIDDEN for a token, which may do only what its scopes say */
export function requireUser(call: CallContext): UserActor {
  switch (call.actor.kind) {
    case 'anonymous':
      throw new DomainError('UNAUTHENTICATED');
    case 'token':
      throw new DomainError('FORBIDDEN', 'OAuth2 tokens cannot use this');
    case 'interaction':
      throw new DomainError('FORBIDDEN', 'The token of an interaction cannot be used for this');
    case 'webhook':
      throw new DomainError('FORBIDDEN', 'The token of a webhook cannot be used for this');
    case 'person':
    case 'bot':
      return call.actor;
  }
}

/** The caller as a person. @throws UNAUTHENTICATED, and FORBIDDEN for a bot */
export function requirePerson(call: CallContext): Extract<Actor, { kind: 'person' }> {
  const caller = requireUser(call);
  if (caller.kind === 'bot') throw new DomainError('FORBIDDEN', 'Bots cannot use this');
  return caller;
}

/** The caller as whoever has the token of a webhook. @throws UNAUTHENTICATED */
export function requireWebhook(call: CallContext): Extract<Actor, { kind: 'webhook' }> {
  if (call.actor.kind !== 'webhook') throw new DomainError('UNAUTHENTICATED');
  return call.actor;
}

/** The caller as an application that shows the token of an interaction. @throws UNAUTHENTICATED */
export function requireInteraction(call: CallContext): Extract<Actor, { kind: 'interaction' }> {
  if (call.actor.kind !== 'interaction') throw new DomainError('UNAUTHENTICATED');
  return call.actor;
}
