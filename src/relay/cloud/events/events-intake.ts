import type { AppContext } from '../../../context.js';
import {
  announceGuild,
  forgetChannel,
  keepGuilds,
  noteChannel,
  noteGuild,
  withdrawGuild,
} from '../../../domain/boxes/index.js';
import { DomainError, type ErrorKind, refusalIn } from '../../../domain/errors.js';
import { forgetBot, readmitBots, reconcileBots } from '../../../domain/installations/index.js';
import { limits } from '../../../domain/limits.js';
import type { Timer } from '../../../infra/clock.js';
import { yieldToEventLoop } from '../../../infra/concurrency/event-loop.js';
import { parseSnowflake } from '../../../infra/ids/ids.js';
import { because, type Close, closes } from '../../protocol/closes.js';
import { type FromBox, MAX_DISPATCH_BYTES, type ToBox } from '../../protocol/messages.js';
import type { CloudBotDirectory } from '../cloud-bot-directory.js';
import { stampDispatch } from './dispatches.js';
import { RefusalLog } from './refusal-log.js';

const ACK_MS = 100;

/** See docs/relay.md, R-30. */
const MAX_WAITING = { messages: 5_000, bytes: 4 * 1024 * 1024 };

/** If more messages are queued, TYPING_START is left out. */
const MAX_BEFORE_TYPING = 200;

const EVENTS_PER_TURN = 20;
/** Each message about a whole guild needs a transaction. */
const GUILDS_PER_TURN = 4;

/** Time limit for a box to begin or resume its event session. */
const BEGINNING_MS = 10_000;

/** Kept between connections (docs/relay.md, R-31). */
export interface EventSession {
  name: string;
  /** Number of the last processed message. */
  seq: number;
  guilds: Set<bigint>;
  isReady: boolean;
}

export type EventMessage = Extract<
  FromBox,
  { op: 'begin' | 'resume' | 'announce' | 'withdraw' | 'ready' | 'dispatch' }
>;

type Of<Op extends EventMessage['op']> = Extract<EventMessage, { op: Op }>;

interface Waiting {
  message: EventMessage;
  bytes: number;
}

export interface IntakeParts {
  app: AppContext;
  boxId: bigint;
  idSpace: number;
  bots: CloudBotDirectory;
  /** The event session that the box can resume. */
  session: EventSession | null;
  send(message: ToBox): void;
  end(close: Close): void;
  /** Makes the box's guilds unavailable to bots. */
  onBegin(session: EventSession): Promise<void>;
}

/** Processes events in order, one at a time (docs/relay.md, R-30 to R-35). */
export class EventsIntake {
  readonly #refusals: RefusalLog;
  #session: EventSession | null = null;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #working: Promise<void> | null = null;
  #isStopped = false;
  #ack: Timer | null = null;
  readonly #beginning: Timer;

  constructor(private readonly parts: IntakeParts) {
    const { app, boxId } = parts;
    this.#refusals = new RefusalLog(app.log, app.connectionClock, boxId);
    this.#beginning = app.connectionClock.after(BEGINNING_MS, () => this.#end(closes.silent));
  }

  /** @param bytes size of the message's text */
  take(message: EventMessage, bytes: number): void {
    if (this.#isStopped) return;
    // Only the arrival counts, not the time in the queue.
    if (message.op === 'begin' || message.op === 'resume') this.#beginning.cancel();
    if (this.#waiting.length >= MAX_WAITING.messages || this.#waitingBytes + bytes > MAX_WAITING.bytes) {
      this.#end(closes.tooSlow);
      return;
    }
    this.#waiting.push({ message, bytes });
    this.#waitingBytes += bytes;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Drops queued messages, which the box sends again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#beginning.cancel();
    this.#ack?.cancel();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let done = 1; !this.#isStopped; done += 1) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#waitingBytes -= next.bytes;
      if (done % (next.message.op === 'dispatch' ? EVENTS_PER_TURN : GUILDS_PER_TURN) === 0) await yieldToEventLoop();
      try {
        await this.#workOn(next);
      } catch (error) {
        this.#fail(error, next.message.op);
      }
    }
  }

  #fail(error: unknown, op: string): void {
    const { app, boxId } = this.parts;
    if (!refusalIn(error)) {
      app.log.error({ err: error, boxId: String(boxId), op }, 'Could not process a message of a box');
    }
    this.#end(closeFor(error));
  }

  async #workOn({ message, bytes }: Waiting): Promise<void> {
    if (message.op === 'begin') return this.#begin(message);
    if (message.op === 'resume') return this.#resume(message);
    const session = this.#session;
    if (!session || message.s !== session.seq + 1) {
      this.#end(closes.unusable);
      return;
    }
    await this.#tell(session, message, bytes);
    session.seq = message.s;
    if (message.op === 'ready') this.#acknowledge();
    else this.#ack ??= this.parts.app.connectionClock.after(ACK_MS, () => this.#acknowledge());
  }

  async #begin({ session: name }: Of<'begin'>): Promise<void> {
    // Many boxes may begin at once, such as after a restart.
    await yieldToEventLoop();
    const session: EventSession = { name, seq: 0, guilds: new Set(), isReady: false };
    this.#session = session;
    await this.parts.onBegin(session);
  }

  /** Bots that connected during the absence received the guilds as unavailable. */
  async #resume({ session }: Of<'resume'>): Promise<void> {
    const known = this.parts.session;
    if (this.#session || known?.name !== session) {
      this.#end(closes.unusable);
      return;
    }
    this.#session = known;
    if (known.isReady) await this.#readmit(known.guilds);
  }

  async #tell(
    session: EventSession,
    message: Of<'announce' | 'withdraw' | 'ready' | 'dispatch'>,
    bytes: number,
  ): Promise<void> {
    switch (message.op) {
      case 'announce':
        return this.#announce(session, message);
      case 'withdraw':
        return this.#withdraw(session, message);
      case 'ready':
        return this.#ready(session);
      case 'dispatch':
        return this.#dispatch(session, message, bytes);
    }
  }

  async #announce(session: EventSession, { guild }: Of<'announce'>): Promise<void> {
    const { app, boxId } = this.parts;
    const { id, name, icon, owner_id, channels, bots } = guild;
    // The database enforces this limit too, but with a transaction per guild.
    if (!session.guilds.has(id) && session.guilds.size >= limits.guildsPerBox) {
      this.#refusals.note('announce', `exceeds the limit of ${limits.guildsPerBox} guilds per box`);
      return;
    }
    if (bots.length > limits.botsPerBoxGuild) {
      this.#refusals.note('announce', `has more than ${limits.botsPerBoxGuild} bots`);
      return;
    }
    const announced = { id, name, iconHash: icon ?? null, ownerId: owner_id, channelIds: channels };
    try {
      await announceGuild(app.callOfNobody(), boxId, announced);
    } catch (error) {
      // At the limit, only this guild is left out.
      if (!(error instanceof DomainError) || error.kind !== 'limitReached') throw error;
      this.#refusals.note('announce', error.message);
      return;
    }
    session.guilds.add(id);
    await this.#compare(id, bots);
    if (session.isReady) await this.#readmit([id]);
  }

  /** Ignores bots that do not belong to the cloud. */
  async #compare(guildId: bigint, bots: readonly bigint[]): Promise<void> {
    const { app, boxId, bots: known } = this.parts;
    const staying = await reconcileBots(app.callOfNobody(), boxId, guildId, await known.among(bots));
    if (staying > 0) this.#refusals.note('announce', `has ${staying} more bots that are not installed`);
  }

  async #withdraw(session: EventSession, { guild_id }: Of<'withdraw'>): Promise<void> {
    const { app, boxId } = this.parts;
    if (!session.guilds.has(guild_id)) return;
    await withdrawGuild(app.callOfNobody(), boxId, guild_id);
    // If the withdrawal fails, the box sends it again.
    session.guilds.delete(guild_id);
  }

  async #ready(session: EventSession): Promise<void> {
    const { app, boxId } = this.parts;
    if (session.isReady) return;
    await keepGuilds(app.callOfNobody(), boxId, [...session.guilds.keys()]);
    await this.#readmit(session.guilds);
    session.isReady = true;
  }

  async #readmit(guilds: Iterable<bigint>): Promise<void> {
    for (const guildId of guilds) {
      await yieldToEventLoop();
      await readmitBots(this.parts.app.callOfNobody(), guildId);
    }
  }

  async #dispatch(session: EventSession, { t, d }: Of<'dispatch'>, bytes: number): Promise<void> {
    if (t === 'TYPING_START' && this.#waiting.length > MAX_BEFORE_TYPING) return;
    const { app, idSpace, bots } = this.parts;
    if (bytes > MAX_DISPATCH_BYTES) {
      this.#refusals.note(t, `is ${bytes} bytes long`);
      return;
    }
    const stamped = await stampDispatch({ t, d }, { idSpace, guildIds: session.guilds, bots });
    if ('refusal' in stamped) {
      this.#refusals.note(t, stamped.refusal);
      return;
    }
    if (!(await this.#keepIndex(session, t, d))) return;
    for (const topic of stamped.topics) app.bus.publish(topic, stamped.message);
    const { guildId, userId } = stamped.message;
    if (t === 'GUILD_MEMBER_REMOVE' && guildId !== undefined && userId !== undefined) {
      const botId = BigInt(userId);
      if (await bots.has(botId)) await forgetBot(app.callOfNobody(), BigInt(guildId), botId);
    }
  }

  /**
   * Updates the index of guilds and channels before the event is published.
   * @returns false if the event must be left out
   */
  async #keepIndex(session: EventSession, t: string, d: Record<string, unknown>): Promise<boolean> {
    const { app, boxId } = this.parts;
    const id = idIn(d.id);
    const guildId = idIn(d.guild_id);
    const call = app.callOfNobody();
    try {
      if (t === 'GUILD_UPDATE' && id !== undefined) {
        await noteGuild(call, boxId, {
          id,
          name: String(d.name ?? ''),
          iconHash: typeof d.icon === 'string' ? d.icon : null,
        });
      } else if (id !== undefined && guildId !== undefined && session.guilds.has(guildId)) {
        if (t === 'CHANNEL_CREATE') await noteChannel(call, boxId, { guildId, channelId: id });
        if (t === 'CHANNEL_DELETE') await forgetChannel(call, boxId, { guildId, channelId: id });
      }
      return true;
    } catch (error) {
      const isLeftOut = error instanceof DomainError && LEFT_OUT.includes(error.kind) && error.code !== 'UNKNOWN_BOX';
      if (!isLeftOut) throw error;
      this.#refusals.note(t, error.message);
      return false;
    }
  }

  #acknowledge(): void {
    this.#ack?.cancel();
    this.#ack = null;
    if (this.#session && !this.#isStopped) this.parts.send({ op: 'ack', s: this.#session.seq });
  }

  #end(close: Close): void {
    if (this.#isStopped) return;
    void this.stop();
    this.parts.end(close);
  }
}

const LEFT_OUT: ErrorKind[] = ['conflict', 'limitReached', 'notFound'];

function closeFor(error: unknown): Close {
  if (!(error instanceof DomainError)) return closes.unavailable;
  if (error.kind === 'conflict') return because(closes.notOwnId, error.message);
  return error.code === 'UNKNOWN_BOX' ? closes.deleted : closes.unavailable;
}

function idIn(value: unknown): bigint | undefined {
  return typeof value === 'string' ? parseSnowflake(value) : undefined;
}
