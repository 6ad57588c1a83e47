import { randomBytes } from 'node:crypto';
import { GatewayDispatchEvents } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import type { AuthenticatedBot } from '../domain/applications/index.js';
import { IDENTIFY_CONCURRENCY, IDENTIFY_PER_BUCKET } from '../domain/limits.js';
import { forEachYielding } from '../infra/concurrency/event-loop.js';
import { renderReady } from '../wire/ready.js';
import type { Admission, Applicant } from './admission.js';
import { bareToken } from './bare-token.js';
import { Closing } from './closing.js';
import { eventOf } from './events.js';
import type { Gateway } from './gateway.js';
import type { FeedSession } from './guild-feed.js';
import { areIntents, asksTooMuch } from './intents.js';
import { introduceGuilds } from './introductions.js';
import { openSession } from './open-session.js';
import type { IdentifyData } from './payloads.js';
import { showPresence } from './presence.js';
import { closes, MAX_GUILDS_PER_SHARD } from './protocol.js';
import type { Session, SessionTerms, Shard } from './session.js';

const LARGE_THRESHOLD = { min: 50, max: 250 };

/** Memberships that are read before the introductions, together with those of other sessions that identify. */
const READ_TOGETHER = 10;

/** Guilds attached before yielding to the event loop. */
const ATTACHED_PER_TURN = 100;

/** @throws Closing with the code of the first check that fails */
export async function identify(connection: Applicant, data: IdentifyData): Promise<Admission> {
  const { gateway } = connection;
  const { app } = gateway;
  const intents = requireIntents(data.intents);
  const shard = requireShard(data.shard);
  const token = bareToken(data.token);
  const bot = await authenticate(app, token, intents);
  const retryAfterMs = await countIdentify(gateway, bot, shard);
  if (retryAfterMs !== null) return { refused: true, retryAfterMs };
  const terms = termsOf(connection, bot, data, intents, shard);
  return gateway.admissions.identify(bot.actor.user.id, () => open(connection, terms, token, data.compress === true));
}

async function open(
  connection: Applicant,
  terms: SessionTerms,
  token: string,
  compressesPayloads: boolean,
): Promise<Admission> {
  const { gateway } = connection;
  const session = openSession(gateway, terms);
  try {
    await gateway.bots.add(session);
    // The token or an intent may have changed before the session subscribed.
    session.setPrivileges((await authenticate(gateway.app, token, terms.intents)).privilegedIntents);
    // Runs before the session attaches to guilds, so that GUILD_CREATE includes the presence.
    await showPresence(gateway, session);
    const feedSessions = await attachGuilds(gateway, session, await guildsOf(gateway, session));
    if (compressesPayloads) connection.compressPayloads();
    return { session, begin: () => begin(gateway, connection, session, feedSessions) };
  } catch (error) {
    session.end();
    throw error;
  }
}

/** @throws Closing 4004 for an invalid token, 4014 for a disabled privileged intent */
async function authenticate(app: AppContext, token: string, intents: number): Promise<AuthenticatedBot> {
  const bot = await app.botTokens.authenticate(token);
  if (!bot) throw new Closing(closes.authenticationFailed);
  if (asksTooMuch(intents, bot.privilegedIntents)) throw new Closing(closes.disallowedIntents);
  return bot;
}

function requireIntents(intents: number | null | undefined): number {
  if (intents === null || intents === undefined || !areIntents(intents)) throw new Closing(closes.invalidIntents);
  return intents;
}

function requireShard(shard: number[] | null | undefined): Shard | null {
  if (!shard) return null;
  const [id = -1, count = 0] = shard;
  if (id < 0 || id >= count) throw new Closing(closes.invalidShard);
  return { id, count };
}

/** Milliseconds until a retry can succeed; null if IDENTIFY is allowed. */
async function countIdentify(gateway: Gateway, bot: AuthenticatedBot, shard: Shard | null): Promise<number | null> {
  const { id } = bot.actor.user;
  const bucket = await gateway.app.limits.take(IDENTIFY_PER_BUCKET, `${id}:${(shard?.id ?? 0) % IDENTIFY_CONCURRENCY}`);
  if (!bucket.allowed) return bucket.resetAfterMs;
  const day = await gateway.admissions.takeOfDay(id);
  return day.allowed ? null : day.resetAfterMs;
}

function termsOf(
  { version }: Applicant,
  bot: AuthenticatedBot,
  data: IdentifyData,
  intents: number,
  shard: Shard | null,
): SessionTerms {
  const wished = data.large_threshold ?? LARGE_THRESHOLD.min;
  return {
    id: randomBytes(16).toString('hex'),
    bot,
    version,
    intents,
    shard,
    largeThreshold: Math.min(Math.max(wished, LARGE_THRESHOLD.min), LARGE_THRESHOLD.max),
    presence: data.presence ?? null,
  };
}

/**
 * Returns ascending ids.
 * @throws Closing 4011 for too many guilds
 */
async function guildsOf(gateway: Gateway, session: Session): Promise<bigint[]> {
  const guildIds: bigint[] = [];
  for await (const page of gateway.app.guilds.pagesOfGuildIds(session.botId)) {
    guildIds.push(...page.filter((guildId) => session.isResponsibleFor(guildId)));
    if (guildIds.length > MAX_GUILDS_PER_SHARD) throw new Closing(closes.shardingRequired);
  }
  return guildIds;
}

async function attachGuilds(gateway: Gateway, session: Session, guildIds: bigint[]): Promise<FeedSession[]> {
  for (const guildId of guildIds.slice(0, READ_TOGETHER)) prefetchMember(gateway.app, guildId, session.botId);
  const feedSessions: FeedSession[] = [];
  await forEachYielding(guildIds, ATTACHED_PER_TURN, (guildId) => {
    if (!session.ended) feedSessions.push(gateway.feeds.attach(guildId, session));
  });
  return feedSessions;
}

/** Failures recur when the guild is introduced. A box is asked only then. */
function prefetchMember({ guilds, boxRoutes }: AppContext, guildId: bigint, botId: bigint): void {
  if (!boxRoutes.mayHave(guildId)) guilds.member(guildId, botId).catch(() => {});
}

function begin(gateway: Gateway, connection: Applicant, session: Session, feedSessions: FeedSession[]): void {
  if (session.ended) {
    connection.close(session.endedBy ?? closes.fault);
    return;
  }
  const { app } = gateway;
  const guildIds = feedSessions.filter(({ detached }) => !detached).map(({ feed }) => feed.guildId);
  for (const guildId of guildIds) session.unavailableGuilds.add(guildId);
  session.dispatch(
    eventOf(
      GatewayDispatchEvents.Ready,
      renderReady({
        version: session.version,
        user: session.user,
        privilegedIntents: session.bot.privilegedIntents,
        guildIds,
        sessionId: session.id,
        resumeGatewayUrl: app.addresses.gatewayUrl,
        shard: session.shard,
      }),
    ),
  );
  session.attach(connection);
  void introduceGuilds(app, session, feedSessions);
}
