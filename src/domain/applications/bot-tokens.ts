import { topics } from '../../infra/bus.js';
import type { Clock } from '../../infra/clock.js';
import type { Application, Reader, User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids.js';
import { Memory } from '../../infra/memory.js';
import { hashSecret, randomToken, secretMatches } from '../../infra/secrets.js';
import type { BusMessage, EventBus } from '../bus-message.js';
import type { Actor } from '../call.js';
import type { KnownCredentials } from '../known-credentials.js';
import { type PrivilegedIntent, privilegedIntents } from './privileged-intents.js';

/** A bot that showed a valid token. */
export interface AuthenticatedBot {
  actor: Extract<Actor, { kind: 'bot' }>;
  privilegedIntents: PrivilegedIntent[];
  /** The stored form of the token, another one once the token was replaced. */
  tokenHash: string;
}

/**
 * A new bot token and its stored form. Three dot-separated parts: the base64url of the bot's id, the time, and 32 random
 * bytes, as libraries expect that read the id out of the first.
 */
export function createBotToken(applicationId: bigint, now: number): { token: string; hash: string } {
  const id = Buffer.from(String(applicationId)).toString('base64url');
  const time = Buffer.from(
    Math.floor(now / 1000)
      .toString(16)
      .padStart(8, '0'),
    'hex',
  ).toString('base64url');
  const token = `${id}.${time}.${randomToken(32)}`;
  return { token, hash: hashSecret(token) };
}

/** The application a token claims to be of, or undefined for text that is no bot token. */
function claimedApplication(token: string): bigint | undefined {
  const [id = '', ...rest] = token.split('.');
  return rest.length === 2 ? parseSnowflake(Buffer.from(id, 'base64url').toString('latin1')) : undefined;
}

type ApplicationWithBot = Application & { bot: User };

const MAX_APPLICATIONS = 10_000;

/** Tells whose a bot token is. Applications are kept in memory for half a minute at most, and dropped when they or
 * their tokens change. */
export class BotTokens {
  readonly #memory: Memory<ApplicationWithBot, object, BusMessage>;

  constructor(
    reader: Reader,
    bus: EventBus,
    clock: Clock,
    private readonly known: KnownCredentials,
  ) {
    this.#memory = new Memory({
      max: MAX_APPLICATIONS,
      clock,
      bus,
      topicOf: topics.application,
      read: (id) => reader.application.findUnique({ where: { id, deletedAt: null }, include: { bot: true } }),
      empty: () => ({}),
      onMessage: (id, { invalidates }) => {
        if (invalidates.includes('token')) this.#memory.forget(id);
      },
    });
  }

  /** The bot behind `token`, or null for a token that is not valid (any more). */
  async authenticate(token: string): Promise<AuthenticatedBot | null> {
    const id = claimedApplication(token);
    if (id === undefined || !(this.#memory.peek(id) || (await this.known.application(id)))) return null;
    const application = await this.#memory.thing(id);
    if (!application?.botTokenHash || !secretMatches(token, application.botTokenHash)) return null;
    return {
      actor: {
        kind: 'bot',
        user: application.bot,
        applicationId: application.id,
        messageContentIntent: application.messageContentIntent,
      },
      privilegedIntents: privilegedIntents(application),
      tokenHash: application.botTokenHash,
    };
  }
}
