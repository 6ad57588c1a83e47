import type { Locale } from 'discord-api-types/v10';
import type { Clock } from '../infra/clock.js';
import type { KeyedMutex } from '../infra/concurrency/mutex.js';
import type { SlowHashes } from '../infra/crypto/slow-hashes.js';
import type { Application, Interaction, Reader, Transaction, User, Webhook } from '../infra/database/index.js';
import type { NextId } from '../infra/ids/ids.js';
import type { Images } from '../infra/images.js';
import type { Mail } from '../infra/mail.js';
import type { Outbound } from '../infra/network/outbound.js';
import type { Logger } from '../infra/observability/logger.js';
import type { RateLimits } from '../infra/rate-limits.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import type { ApplicationViews } from './applications/views.js';
import type { AuditRecord } from './audit-log/actions.js';
import type { BoxClient } from './boxes/client.js';
import type { BoxRoutes } from './boxes/routes.js';
import type { EventBus } from './bus-message.js';
import type { Recipients } from './channels/recipients.js';
import { DomainError } from './errors.js';
import type { DomainEvent, EventChannel } from './events.js';
import type { GuildStore } from './guilds/store.js';
import type { Scope } from './installations/scopes.js';
import type { Endpoints } from './interactions/delivery/endpoint.js';
import type { Ping } from './interactions-endpoints/ping.js';
import type { DomainJob } from './job-payloads.js';
import type { ShownPresence, Status } from './presences/record.js';

export type Actor =
  | { kind: 'anonymous' }
  /** A person with a portal session. */
  | { kind: 'person'; user: User }
  /** An application's bot. Its id is the application's id. */
  | { kind: 'bot'; user: User; applicationId: bigint; messageContentIntent: boolean }
  /** An application that acts for a person (OAuth2). */
  | {
      kind: 'token';
      user: User;
      applicationId: bigint;
      scopes: readonly Scope[];
      expiresAt: Date;
      /** The application got it with its own credentials (RFC 6749, section 4.4). */
      clientCredentials?: boolean;
    }
  /** An application with an interaction token, limited to that interaction; `user` is its bot. */
  | { kind: 'interaction'; user: User; interaction: Interaction; application: Application & { bot: User } }
  /** The holder of a webhook token, limited to that webhook; `user` is its application's bot. */
  | {
      kind: 'webhook';
      user: User;
      webhook: Webhook;
      application: Pick<Application, 'id' | 'messageContentIntent'> & { bot: User };
      /** Set on a box for the cloud's webhooks, which the cloud has checked. */
      isOfCloud?: boolean;
    };

/** An actor that can send, join and be mentioned. */
export type UserActor = Extract<Actor, { kind: 'person' | 'bot' }>;

export interface Write {
  db: Transaction;
  /** Published after the commit, in the order of the calls. */
  record(event: DomainEvent): void;
  /** Sent after the commit. A failure is logged. */
  mail(mail: Mail): void;
  /** Adds a job unless one with its key is queued. It runs only if this transaction commits, and after that. */
  addJob(job: DomainJob): Promise<void>;
  /**
   * The caller is the actor. An entry for the guild's audit log is also published.
   * @throws UNKNOWN_GUILD if the guild was deleted in the meantime
   */
  audit(entry: AuditRecord): Promise<void>;
}

export interface WriteOptions {
  /** For a limit that counts rows, or other work that must not run concurrently. Retried on conflict. */
  serializable?: boolean;
}

export interface WriteOneOptions {
  /**
   * The channel this row belongs to. Its event is published before any later event of that channel. If unset, the event
   * is published after those of transactions that the statement waited for.
   */
  onlyWithin?: Pick<EventChannel, 'guildId' | 'channelId'>;
}

/** Checks for interactions that were not answered in time. */
interface OverdueWatch {
  /** @param time milliseconds since the Unix epoch */
  lookAt(time: number): void;
}

/** The heartbeat of this process. */
interface Life {
  /** Rows of its connections refer to this id. */
  readonly id: string;
  /** Rows are valid if their process lives longer than this. */
  now(): Date;
}

interface OpenConnections {
  isOpen(id: string): boolean;
  /** The connection is about to join voice. Its voice state ends with it. */
  holdVoice(id: string): void;
  /** Applies to all connections of a person. Null if there are none. */
  setStatus(userId: bigint, status: Status): Promise<ShownPresence | null>;
}

interface OnlineCounts {
  /** Approximate, by guild id. */
  of(guildIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>>;
}

/** Times of last use, stored in batches. */
interface Uses {
  note(id: bigint): void;
}

interface Quota {
  /** Counts bytes that are about to be stored. @throws LIMIT_EXCEEDED */
  take(accountId: bigint, sizes: readonly number[]): Promise<void>;
}

/** By id. For work that must not run concurrently in a process. */
export interface Mutexes {
  /** Changes of a message: the database may report concurrent commits in another order, which their events would follow. */
  messages: KeyedMutex<bigint>;
  /** Counts before a prune, which examine every member of a guild. */
  prunes: KeyedMutex<string>;
}

/** The dependencies of domain functions. They exist once per process. */
export interface Dependencies {
  log: Logger;
  clock: Clock;
  nextId: NextId;
  blobs: BlobStore;
  images: Images;
  /** For files of messages. */
  fileQuota: Quota;
  limits: RateLimits;
  /** For URLs that users chose. */
  outbound: Outbound;
  /** The guild store, which decides access to guilds. */
  guilds: GuildStore;
  boxRoutes: BoxRoutes;
  /** The client for boxes. */
  boxes: BoxClient;
  recipients: Pick<Recipients, 'of'>;
  /** Cached data that every interaction needs. */
  applications: ApplicationViews;
  bus: Pick<EventBus, 'subscribe'>;
  endpoints: Endpoints;
  /** For secrets that an attacker may guess at. */
  slowHashes: SlowHashes;
  overdue: OverdueWatch;
  live: Life;
  connections: OpenConnections;
  presenceCounts: OnlineCounts;
  /** Last uses of webhooks. */
  executions: Uses;
  mutexes: Mutexes;
  renderPing(ping: Ping): string;
}

/** The caller and the dependencies of a domain function. Created for each call. */
export interface CallContext extends Dependencies {
  actor: Actor;
  requestId: string;
  /** Idempotency key, if the requester may repeat the request; else null. */
  workKey: string | null;
  /** Null if unknown. */
  locale: Locale | null;
  auditReason: string | null;
  /** The same call with a reason. */
  because(reason: string): CallContext;
  /** Whether webhooks work in guilds on boxes. */
  hasBoxWebhooks: boolean;
  /** Set by `BUILT_IN_COMMANDS`. */
  hasBuiltIns: boolean;
  /** Public origin of this instance. */
  publicUrl: string;
  portalUrl: string;
  /** Page to reset the password. */
  passwordUrl: string;
  /** For reads outside a transaction. */
  read: Reader;
  /** Runs one transaction. Its events are published after the commit. */
  write<T>(work: (write: Write) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * For frequent writes without an audit entry: one statement, or a row with nested rows. `event` is published after
   * it.
   */
  writeOne<T>(
    statement: (db: Transaction) => Promise<T>,
    event?: (row: T) => DomainEvent | null,
    options?: WriteOneOptions,
  ): Promise<T>;
  /** For events that are stored nowhere, such as typing. Failures are logged. */
  announce(event: DomainEvent): void;
}

/** @throws UNAUTHENTICATED, and FORBIDDEN for a token */
export function requireUser(call: CallContext): UserActor {
  switch (call.actor.kind) {
    case 'anonymous':
      throw new DomainError('UNAUTHENTICATED');
    case 'token':
      throw new DomainError('FORBIDDEN', 'OAuth2 tokens cannot perform this action');
    case 'interaction':
      throw new DomainError('FORBIDDEN', 'Interaction tokens cannot perform this action');
    case 'webhook':
      throw new DomainError('FORBIDDEN', 'Webhook tokens cannot perform this action');
    case 'person':
    case 'bot':
      return call.actor;
  }
}

/** @throws UNAUTHENTICATED, FORBIDDEN */
export function requirePerson(call: CallContext): Extract<Actor, { kind: 'person' }> {
  const caller = requireUser(call);
  if (caller.kind === 'bot') throw new DomainError('FORBIDDEN', 'Bots cannot perform this action');
  return caller;
}

/** @throws UNAUTHENTICATED */
export function requireWebhook(call: CallContext): Extract<Actor, { kind: 'webhook' }> {
  if (call.actor.kind !== 'webhook') throw new DomainError('UNAUTHENTICATED');
  return call.actor;
}

/** @throws UNAUTHENTICATED */
export function requireInteraction(call: CallContext): Extract<Actor, { kind: 'interaction' }> {
  if (call.actor.kind !== 'interaction') throw new DomainError('UNAUTHENTICATED');
  return call.actor;
}
