import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Config } from './config.js';
import { BotTokens } from './domain/applications/bot-tokens.js';
import { Bodies } from './domain/bodies.js';
import type { Actor, CallContext, Write, WriteOptions } from './domain/call.js';
import { DomainError } from './domain/errors.js';
import type { DomainEvent } from './domain/events.js';
import { GuildViews } from './domain/guilds/views.js';
import type { DomainJobPayloads } from './domain/job-payloads.js';
import { createKnownCredentials, type KnownCredentials } from './domain/known-credentials.js';
import type { AddressSignatures } from './infra/address-signatures.js';
import type { BlobStore } from './infra/blobs.js';
import type { Bus } from './infra/bus.js';
import type { FindClientAddress } from './infra/client-address.js';
import type { Clock } from './infra/clock.js';
import { type Database, Prisma } from './infra/database/index.js';
import type { NextId } from './infra/ids.js';
import { Jobs } from './infra/jobs/index.js';
import type { Logger } from './infra/logger.js';
import type { Mail, Mailer } from './infra/mail.js';
import type { Metrics } from './infra/metrics.js';
import type { RateLimits } from './infra/rate-limits.js';

/**
 * Who a request's headers speak for: a person with a portal session, or anonymous.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
 */
export type FindPerson = (headers: IncomingHttpHeaders) => Promise<Actor>;

/** Where a request comes from. */
export interface Visitor {
  /** The network address it counts by (`AppContext.clientAddress`). */
  address: string;
  headers: IncomingHttpHeaders;
}

/** What pages need to know of portal sessions, and to let people sign up, in and out on them. */
export interface PageSessions {
  findPerson: FindPerson;
  /**
   * Begins a session. The address may try as often as everywhere else.
   * @returns the `Set-Cookie` lines that carry it
   * @throws UNAUTHENTICATED for a wrong e-mail address or password, RATE_LIMITED
   */
  signIn(credentials: { email: string; password: string }, visitor: Visitor): Promise<string[]>;
  /**
   * Makes an account and begins its first session, under the same limit as everywhere else.
   * @returns the `Set-Cookie` lines that carry it
   * @throws INVALID_INPUT, CONFLICT for a username or an e-mail address that is taken, RATE_LIMITED
   */
  signUp(details: { name: string; email: string; password: string }, visitor: Visitor): Promise<string[]>;
  /** Ends the session. @returns the `Set-Cookie` lines that forget it */
  signOut(visitor: Visitor): Promise<string[]>;
  /** What a form carries that was shown within this session, and no other site's page knows; null without a session. */
  csrfToken(headers: IncomingHttpHeaders): string | null;
  /** Whether a form carries the token of the session it is sent with; takes the same time for right and wrong ones. */
  csrfTokenFits(headers: IncomingHttpHeaders, token: string): boolean;
}

/** The addresses of the running instance; filled in when the listener has its port. */
export interface Addresses {
  /** The origin, without a trailing slash. */
  publicUrl: string;
  /** The gateway's address, without a query. */
  gatewayUrl: string;
  /** The origin of `/metrics`, `/healthz` and `/readyz`. */
  operationsUrl: string;
  /** Of attachment addresses. */
  signatures: AddressSignatures;
}

/** Everything a process has one of. */
export interface AppContext {
  config: Config;
  addresses: Addresses;
  /** Tells by which address a request or an upgrade counts; `request.ip` of an HTTP request is the same. */
  clientAddress: FindClientAddress;
  log: Logger;
  clock: Clock;
  nextId: NextId;
  db: Database;
  bus: Bus;
  blobs: BlobStore;
  mailer: Mailer;
  limits: RateLimits;
  metrics: Metrics;
  guilds: GuildViews;
  botTokens: BotTokens;
  known: KnownCredentials;
  /** What requests hold while they are received. */
  bodies: Bodies;
  /** What happens later. */
  jobs: Jobs<DomainJobPayloads>;
  /** Renders an event and publishes it. */
  publish: (event: DomainEvent) => void;
  /** What the process does without at present: `redis`, `snowflake-worker`. Empty when it has everything. */
  degraded: () => string[];
}

/** The parts the rest of the context is made from. */
export type ContextParts = Omit<AppContext, 'guilds' | 'botTokens' | 'known' | 'bodies' | 'jobs'>;

export function createAppContext(parts: ContextParts): AppContext {
  const known = createKnownCredentials(parts.db.reader);
  return {
    ...parts,
    guilds: new GuildViews(parts.db.reader, parts.bus, parts.clock),
    botTokens: new BotTokens(parts.db.reader, parts.bus, parts.clock, known),
    known,
    bodies: new Bodies(),
    jobs: new Jobs({ ...parts, registry: parts.metrics.registry }),
  };
}

export interface CallOptions {
  requestId?: string;
  auditReason?: string | null;
}

/** What one call is handed: the process's context, and who is calling. */
export function callContext(app: AppContext, actor: Actor, options: CallOptions = {}): CallContext {
  const requestId = options.requestId ?? randomUUID();
  const call: CallContext = {
    actor,
    requestId,
    auditReason: options.auditReason ?? null,
    log: app.log.child({ requestId }),
    clock: app.clock,
    nextId: app.nextId,
    blobs: app.blobs,
    limits: app.limits,
    guilds: app.guilds,
    portalUrl: `${app.addresses.publicUrl}/portal`,
    read: app.db.reader,
    announce: app.publish,
    write: (work, writeOptions) => write(app, call, work, writeOptions),
    async writeOne(statement, event) {
      const row = await untilNoConflict(() => statement(app.db.writer));
      const happened = event?.(row);
      if (happened) app.publish(happened);
      return row;
    },
  };
  return call;
}

async function write<T>(
  app: AppContext,
  call: CallContext,
  work: (write: Write) => Promise<T>,
  options: WriteOptions = {},
): Promise<T> {
  const isolationLevel =
    options.serializable && app.db.dialect === 'postgresql' ? Prisma.TransactionIsolationLevel.Serializable : undefined;
  const { result, events, mails, jobsDueAt } = await untilNoConflict(async () => {
    const after: AfterCommit = { events: [], mails: [], jobsDueAt: [] };
    const done = await app.db.writer.$transaction((db) => work(transactionOf(app, call, db, after)), {
      isolationLevel,
    });
    return { result: done, ...after };
  });
  for (const dueAt of jobsDueAt) app.jobs.wakeAt(dueAt);
  for (const event of events) app.publish(event);
  for (const mail of mails) await app.mailer.send(mail);
  return result;
}

/** What a transaction wants done once it is committed. */
interface AfterCommit {
  events: DomainEvent[];
  mails: Mail[];
  jobsDueAt: number[];
}

function transactionOf(app: AppContext, call: CallContext, db: Prisma.TransactionClient, after: AfterCommit): Write {
  return {
    db,
    record: (event) => after.events.push(event),
    mail: (mail) => after.mails.push(mail),
    async addJob(job) {
      await app.jobs.add(db, job);
      after.jobsDueAt.push(job.dueAt);
    },
    async audit(entry) {
      await db.auditEntry.create({
        data: {
          id: app.nextId(),
          applicationId: entry.applicationId,
          teamId: entry.teamId ?? (await teamOf(db, entry.applicationId)),
          guildId: entry.guildId,
          actorId: call.actor.kind === 'anonymous' ? null : call.actor.user.id,
          action: entry.action,
          targetId: entry.targetId,
          changes: entry.changes ?? {},
          reason: call.auditReason,
        },
      });
    },
  };
}

/** The team that owns an application; null for none. */
async function teamOf(db: Prisma.TransactionClient, applicationId: bigint | undefined): Promise<bigint | null> {
  if (applicationId === undefined) return null;
  const application = await db.application.findUnique({
    where: { id: applicationId },
    select: { ownerTeamId: true },
  });
  return application?.ownerTeamId ?? null;
}

/** How long a write that conflicts with others is tried again, in milliseconds: as long as one waits for its turn. */
const CONFLICTS_MS = 10_000;

/** Writes that met a conflict go one after the other from then on, so that they meet those of other processes at most. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs a write, again when it met another that it could not go beside. @throws OVERLOADED when it never gets its turn */
async function untilNoConflict<T>(run: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + CONFLICTS_MS;
  try {
    return await run();
  } catch (error) {
    if (!isConflict(error)) throw isOverload(error) ? overloaded(error) : error;
  }
  const retried = turn.then(() => retry(run, giveUpAt));
  turn = retried.catch(() => {});
  return retried;
}

async function retry<T>(run: () => Promise<T>, giveUpAt: number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (isOverload(error)) throw overloaded(error);
      if (!isConflict(error)) throw error;
      if (performance.now() > giveUpAt) throw overloaded(error);
      await setTimeout(Math.random() * Math.min(100, 10 * attempt));
    }
  }
}

/** The transaction could not begin in time, or took too long. */
function isOverload(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2028';
}

function overloaded(cause: unknown): DomainError {
  return new DomainError('OVERLOADED', 'The service is busy; try again in a moment.', { cause });
}

/** Two transactions that could not both be right; either of two shapes, depending on where it was noticed. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'P2034') return true;
  return `${error.message} ${String(error.cause)}`.includes('TransactionWriteConflict');
}
