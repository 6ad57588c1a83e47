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
import type { DomainEvent } from './events.js';
import type { GuildStore } from './guilds/store.js';
import type { Scope } from './installations/scopes.js';
import type { InstanceLimits } from './instance-limits/instance-limits.js';
import type { Endpoints } from './interactions/delivery/endpoint.js';
import type { Ping } from './interactions-endpoints/ping.js';
import type { DomainJob } from './job-payloads.js';
import type { MessageInserts } from './messages/insert-together.js';
import type { ShownPresence, Status } from './presences/record.js';

export type Actor =
  | { kind: 'anonymous' }
  /** A person with a portal session, or with a personal token. */
  | {
      kind: 'person';
      user: User;
      /** Undefined with a session. */
      personalTokenId?: bigint;
      /** Whether the personal token may act on the instance, if the person has a role. */
      forOperator?: boolean;
    }
  /** The command line on the machine of the instance. It is no user, and may do what operators may. */
  | { kind: 'machine' }
  /** An application's bot; `user.id` is `applicationId`. */
  | { kind: 'bot'; user: User; applicationId: bigint; messageContentIntent: boolean }
  /** An application that acts for a person (OAuth2). */
  | {
      kind: 'token';
      user: User;
      applicationId: bigint;
      scopes: readonly Scope[];
      expiresAt: Date;
      /** The grant type is client credentials (RFC 6749, section 4.4). */
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
      /** On a box: the webhook belongs to the cloud, which has checked its token. */
      isOfCloud?: boolean;
    };

/** Can send messages, join guilds and be mentioned. */
export type UserActor = Extract<Actor, { kind: 'person' | 'bot' }>;

/**
 * Gives a new message an id above those of all messages in the transaction's streams, so that readers with `after` miss
 * none.
 * @param wanted taken if it is high enough
 */
export type FindMessageId = (wanted?: bigint) => Promise<bigint>;

export interface Write {
  db: Transaction;
  messageId: FindMessageId;
  /** Number of this change in a stream that the transaction locks. */
  clockOf(topic: string): number;
  /** Events are published after the commit: stream by stream, in the order of their first events. */
  record(event: DomainEvent): void;
  /** Sends the mail after the commit. Logs failures. */
  mail(mail: Mail): void;
  /** Does nothing if a job with its key is queued. The job runs after the commit. */
  addJob(job: DomainJob): Promise<void>;
  /**
   * Records the caller as the actor. Also publishes an entry of a guild's audit log.
   * @throws UNKNOWN_GUILD if the guild was deleted in the meantime
   */
  audit(entry: AuditRecord): Promise<void>;
}

export interface WriteOptions {
  /**
   * Topics that the transaction locks before anything else. Of transactions that lock the same one, each sees what the
   * others did, and their events are published in the order of their commits. State every stream that the transaction
   * reads to decide. On PostgreSQL, a transaction with events of other streams runs again and locks those first, too.
   */
  streams?: readonly string[];
}

export interface OneWithEvent<T> {
  /** Of the event. */
  streams: readonly string[];
  /** Null if nothing changed. */
  event(row: T): DomainEvent | null;
}

/** Settles interactions without an answer in time. */
interface OverdueWatch {
  /** Plans a check. @param time milliseconds since the Unix epoch */
  lookAt(time: number): void;
}

interface Life {
  /** Rows of this process's connections refer to this id. */
  readonly id: string;
  /** Whether it is an id of this process, or an earlier one. */
  isOwn(id: string): boolean;
  /** The database's time. Rows count while their process's row ends later. */
  now(): Date;
}

interface OpenConnections {
  isOpen(id: string): boolean;
  /** Call before the connection joins voice. The voice state ends when the connection closes. */
  holdVoice(id: string): void;
  /** For all the user's connections. Null without any. */
  setStatus(userId: bigint, status: Status): Promise<ShownPresence | null>;
}

interface OnlineCounts {
  /** Approximate, by guild id. */
  of(guildIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>>;
}

/** Times of last use, stored in batches. */
export interface Uses {
  note(id: bigint): void;
}

interface Quota {
  /** Counts bytes that are about to be stored. @throws LIMIT_EXCEEDED */
  take(accountId: bigint, sizes: readonly number[]): Promise<void>;
}

/** By id. For work that must not run concurrently in this process. */
export interface Mutexes {
  /** For the counts before a prune, which examine every member of a guild. */
  prunes: KeyedMutex<string>;
}

/** Created once per process. */
export interface Dependencies {
  log: Logger;
  clock: Clock;
  nextId: NextId;
  blobs: BlobStore;
  images: Images;
  /** For message files. */
  fileQuota: Quota;
  limits: RateLimits;
  /** Limits that operators change. */
  instanceLimits: InstanceLimits;
  /** For requests to URLs that users chose. */
  outbound: Outbound;
  /** Decides access to guilds. */
  guilds: GuildStore;
  boxRoutes: BoxRoutes;
  boxes: BoxClient;
  recipients: Pick<Recipients, 'of'>;
  /** Cached data that every interaction needs. */
  applications: ApplicationViews;
  bus: Pick<EventBus, 'subscribe' | 'heard'>;
  endpoints: Endpoints;
  /** For secrets that an attacker may guess. */
  slowHashes: SlowHashes;
  overdue: OverdueWatch;
  live: Life;
  connections: OpenConnections;
  presenceCounts: OnlineCounts;
  /** Times of the webhooks' last uses. */
  executions: Uses;
  mutexes: Mutexes;
  /** Null for SQLite, whose only writer gains nothing by it. */
  messageInserts: MessageInserts | null;
  renderPing(ping: Ping): string;
}

/** Created for each call. */
export interface CallContext extends Dependencies {
  actor: Actor;
  requestId: string;
  /** Idempotency key, if the client may repeat the request; else null. */
  workKey: string | null;
  /** Null if unknown. */
  locale: Locale | null;
  auditReason: string | null;
  /** Copies the call with an audit reason. */
  because(reason: string): CallContext;
  hasBoxWebhooks: boolean;
  /** Set by `BUILT_IN_COMMANDS`. */
  hasBuiltIns: boolean;
  /** Whether sign-up is for everyone, for people with an invitation, or for no one. */
  registration: 'open' | 'invite' | 'closed';
  /** Domains of email addresses that may sign up; empty for all. */
  signUpDomains: readonly string[];
  /** Between a person's request and the deletion of their account; 0 deletes at once. */
  accountDeletionDays: number;
  publicUrl: string;
  portalUrl: string;
  /** Page to reset the password. */
  passwordUrl: string;
  /** For reads outside a transaction. */
  read: Reader;
  /** Every write checks it. @throws SUSPENDED if the caller was suspended after the request began */
  requireActive(): void;
  write<T>(work: (write: Write) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** For frequent writes without an audit entry: one statement, or a row with nested rows. */
  writeOne<T>(statement: (db: Transaction, messageId: FindMessageId) => Promise<T>, told?: OneWithEvent<T>): Promise<T>;
  /** For events that are not stored, such as typing. Logs failures. */
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
    case 'machine':
      throw machineRefused();
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

/** @throws UNAUTHENTICATED, FORBIDDEN */
export function requireSession(call: CallContext): Extract<Actor, { kind: 'person' }> {
  const caller = requirePerson(call);
  if (caller.personalTokenId !== undefined) throw sessionRequired();
  return caller;
}

export function sessionRequired(): DomainError {
  return new DomainError(
    'FORBIDDEN',
    'Personal tokens can only manage applications and run commands. Sign in to perform this action.',
  );
}

export function machineRefused(): DomainError {
  return new DomainError('FORBIDDEN', 'The command line can only act as an operator. Sign in to perform this action.');
}

/** Id of the caller's user, for logs. Null if the caller is no user. */
export function actorIdOf(actor: Actor): bigint | null {
  return actor.kind === 'anonymous' || actor.kind === 'machine' ? null : actor.user.id;
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
