import type { AppContext } from '../../src/context.js';
import { PRIVILEGED_INTENTS } from '../../src/domain/applications/index.js';
import type { Payload } from '../../src/gateway/events.js';
import type { FeedSession } from '../../src/gateway/guild-feed.js';
import type { GuildFeeds } from '../../src/gateway/guild-feeds.js';
import { Session, type SessionLink, type SessionTerms } from '../../src/gateway/session.js';
import type { User } from '../../src/infra/database/index.js';

/** A session without a socket in a guild's feed. */
export interface Seat {
  session: Session;
  feedSession: FeedSession;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  frames: { t: string; s: number; d: any }[];
  closedWith: () => number | undefined;
  /** Its connection, which accepts data as long as it has room. */
  link: { hasCapacity: boolean };
}

type Place = { app: AppContext; feeds: GuildFeeds; guildId: bigint };

/** A session whose events of the guild wait until it is released there. */
export function heldSeat({ app, feeds, guildId }: Place, user: User, terms: Partial<SessionTerms> = {}): Seat {
  const actor = { kind: 'bot', user, applicationId: user.id, messageContentIntent: true } as const;
  const version = 10 as const;
  const bare = { id: String(app.nextId()), version, intents: 0, shard: null, largeThreshold: 50, presence: null };
  const bot = { actor, privilegedIntents: PRIVILEGED_INTENTS, tokenHash: '' };
  const session = new Session(app.clock, { ...bare, bot, ...terms }, (ended) => feeds.remove(ended));
  const frames: Seat['frames'] = [];
  let closedWith: number | undefined;
  const link: SessionLink = {
    openedAt: performance.now(),
    hasCapacity: true,
    send: ({ head, pieces }: Payload) => {
      const text = Buffer.concat([Buffer.from(head), ...pieces.map(({ bytes }) => bytes)]).toString();
      frames.push(JSON.parse(text));
    },
    close: ({ code }) => {
      closedWith = code;
    },
  };
  session.attach(link);
  return { session, feedSession: feeds.attach(guildId, session), frames, closedWith: () => closedWith, link };
}
