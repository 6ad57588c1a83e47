import { z } from 'zod';
import type { AppContext } from '../../../context.js';
import { type Close, closes } from '../../protocol/closes.js';
import { snowflake } from '../../protocol/ids.js';
import type { Link } from '../../protocol/link.js';
import type { FromBox, ToBox } from '../../protocol/messages.js';
import type { CloudBotDirectory } from '../cloud-bot-directory.js';
import type { EventsIntake } from '../events/events-intake.js';
import {
  type BoxAnswer,
  BoxError,
  type BoxTransport,
  type CallOptions,
  type ForwardedBody,
  type ForwardedRequest,
} from '../forwarding/transport.js';
import { ownNamesOf } from '../own-names.js';
import { readAnswer } from './read-answer.js';
import type { ResponseQuota } from './response-quota.js';
import { type Opening, Streams } from './streams.js';

const InstallBot = z.object({ guild_id: snowflake, bot: z.object({ id: snowflake }) });

export interface Admitted {
  boxId: bigint;
  /** Counts the box's connections. */
  generation: number;
  /** 32 bytes in base64url. */
  key: string;
  version: number;
  software: string;
}

export interface ConnectionParts {
  app: AppContext;
  admitted: Admitted;
  link: Link<FromBox, ToBox>;
  intake: EventsIntake;
  bots: CloudBotDirectory;
  quota: ResponseQuota;
  onLost(connection: BoxConnection, why: Close): void;
}

export class BoxConnection implements BoxTransport {
  /** Raised to that of a newer connection that never served. */
  generation: number;
  readonly #streams: Streams;
  #isLeaving = false;
  readonly #closed: Promise<void>;
  #close: () => void = () => {};

  constructor(private readonly parts: ConnectionParts) {
    this.generation = parts.admitted.generation;
    this.#streams = new Streams(parts.link, parts.app.connectionClock, parts.quota.ofBox());
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  get boxId(): bigint {
    return this.parts.admitted.boxId;
  }

  get key(): string {
    return this.parts.admitted.key;
  }

  get isOpen(): boolean {
    return this.parts.link.isOpen;
  }

  get isServing(): boolean {
    return this.isOpen && !this.#isLeaving;
  }

  async request(request: ForwardedRequest, callOptions: CallOptions): Promise<BoxAnswer> {
    const { method, path, query, headers, body, bot, webhook, guildId } = request;
    const guild_id = String(guildId);
    const opening: Opening = {
      op: 'request',
      method,
      path,
      query: { ...query },
      headers,
      body: body.size,
      bot,
      guild_id,
      ...(webhook && { webhook }),
    };
    const own = ownNamesOf(guildId, this.parts.bots);
    return this.#noted(this.#ask(opening, body, callOptions).then((answer) => readAnswer(answer, own)));
  }

  async call(name: string, input: object, callOptions: CallOptions): Promise<BoxAnswer> {
    if (name === 'install_bot') this.#noteInstalling(input);
    return this.#noted(this.#ask({ op: 'call', name, input: { ...input } }, null, callOptions));
  }

  /** @param bytes size of the message's text */
  hear(message: FromBox, bytes: number): void {
    switch (message.op) {
      case 'response':
        if (!this.#streams.receive(message)) this.end(closes.unusable);
        break;
      case 'cancelled':
        this.#streams.letGo(message.id);
        break;
      case 'begin':
      case 'resume':
      case 'announce':
      case 'withdraw':
      case 'ready':
      case 'dispatch':
        this.parts.intake.take(message, bytes);
        break;
      case 'going_away':
        this.#isLeaving = true;
        break;
      case 'hello':
      case 'proof':
        this.end(closes.unusable);
        break;
      default:
        break;
    }
  }

  /** See docs/relay.md, R-43. */
  ended(close: Close): void {
    if (close.code === closes.unusable.code) this.#streams.lose(new BoxError('undecodable', close.reason));
  }

  lost(why: Close): void {
    this.#streams.lose();
    void this.parts.intake.stop();
    this.parts.onLost(this, why);
    this.#close();
  }

  stopEvents(): Promise<void> {
    return this.parts.intake.stop();
  }

  /** Drops waiting events, because the box may have lost its right to connect. */
  end(close: Close): void {
    void this.parts.intake.stop();
    this.parts.link.end(close);
  }

  /** Fails open requests at once, because the box may not receive the close. */
  abandon(close: Close): void {
    this.#streams.lose();
    this.end(close);
  }

  finish(close: Close): Promise<void> {
    this.end(close);
    return this.#closed;
  }

  /** Resolves when no request is open. */
  async leave(retryAfterMs: number): Promise<void> {
    this.#isLeaving = true;
    this.parts.link.send({ op: 'going_away', retry_after_ms: retryAfterMs });
    await this.#streams.whenIdle();
  }

  #noteInstalling(input: object): void {
    const { guild_id: guildId, bot } = InstallBot.parse(input);
    this.parts.bots.noteInstalling(bot.id, guildId);
  }

  async #ask(opening: Opening, body: ForwardedBody | null, callOptions: CallOptions): Promise<BoxAnswer> {
    if (!this.isServing) throw new BoxError('offline', 'the box is about to disconnect');
    return this.#streams.ask(opening, body, callOptions);
  }

  /** @throws BoxError, errors of reading the body */
  async #noted(asked: Promise<BoxAnswer>): Promise<BoxAnswer> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof BoxError && error.fault === 'undecodable') {
        const { boxId, version, software } = this.parts.admitted;
        const facts = { boxId: String(boxId), version, software, err: error };
        this.parts.app.log.warn(facts, 'Box sent an invalid response');
      }
      throw error;
    }
  }
}
