import { LRUCache } from 'lru-cache';
import { type Bus, type BusSubscription, topics } from '../../infra/bus.js';
import type { Application, Reader, User } from '../../infra/database/index.js';
import { hashSecret, randomToken, secretMatches } from '../../infra/secrets.js';
import type { Actor } from '../call.js';

/** The privileged gateway intents an application has switched on. */
export interface PrivilegedIntents {
  guildMembers: boolean;
  presences: boolean;
  messageContent: boolean;
}

/** A bot that showed a valid token. */
export interface AuthenticatedBot {
  actor: Extract<Actor, { kind: 'bot' }>;
  privilegedIntents: PrivilegedIntents;
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

/** The application a token claims to be of, or null for text that is no bot token. */
function claimedApplication(token: string): bigint | null {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts[0]) return null;
  const id = Buffer.from(parts[0], 'base64url').toString('latin1');
  return /^\d{17,19}$/.test(id) ? BigInt(id) : null;
}

type ApplicationWithBot = Application & { bot: User };

interface Entry {
  application: Promise<ApplicationWithBot | null>;
  subscription: BusSubscription;
}

const MAX_APPLICATIONS = 10_000;

/** Tells whose a bot token is. Applications are kept in memory and dropped by their own events. */
export class BotTokens {
  readonly #entries: LRUCache<bigint, Entry>;

  constructor(
    private readonly reader: Reader,
    private readonly bus: Bus,
  ) {
    this.#entries = new LRUCache({ max: MAX_APPLICATIONS, dispose: (entry) => entry.subscription.close() });
  }

  /** The bot behind `token`, or null for a token that is not valid (any more). */
  async authenticate(token: string): Promise<AuthenticatedBot | null> {
    const id = claimedApplication(token);
    if (id === null) return null;
    const application = await this.#application(id);
    if (!application?.botTokenHash || !secretMatches(token, application.botTokenHash)) return null;
    return {
      actor: {
        kind: 'bot',
        user: application.bot,
        applicationId: application.id,
        messageContentIntent: application.messageContentIntent,
      },
      privilegedIntents: {
        guildMembers: application.guildMembersIntent,
        presences: application.presencesIntent,
        messageContent: application.messageContentIntent,
      },
      tokenHash: application.botTokenHash,
    };
  }

  #application(id: bigint): Promise<ApplicationWithBot | null> {
    const known = this.#entries.get(id);
    if (known) return known.application;
    const subscription = this.bus.subscribe(topics.application(id), () => this.#entries.delete(id));
    const entry: Entry = {
      application: subscription.ready.then(() =>
        this.reader.application.findUnique({ where: { id, deletedAt: null }, include: { bot: true } }),
      ),
      subscription,
    };
    const forget = () => {
      if (this.#entries.peek(id) === entry) this.#entries.delete(id);
    };
    entry.application.then((application) => application ?? forget(), forget);
    this.#entries.set(id, entry);
    return entry.application;
  }
}
