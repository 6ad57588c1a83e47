import { randomBytes } from 'node:crypto';
import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import type { AuthenticatedBot } from '../domain/applications/bot-tokens.js';
import { IDENTIFY_A_BUCKET, IDENTIFY_A_DAY, IDENTIFY_CONCURRENCY } from '../domain/limits.js';
import { renderReady } from '../wire/ready.js';
import type { Admission, Applicant } from './admission.js';
import { bareToken } from './bare-token.js';
import { Closing } from './closing.js';
import { eventOf } from './events.js';
import type { Gateway } from './gateway.js';
import { areIntents } from './intents.js';
import { introduceGuilds } from './introductions.js';
import type { IdentifyData } from './payloads.js';
import { closes, GATEWAY_VERSION, MAX_GUILDS_A_SHARD } from './protocol.js';
import { Session, type Shard } from './session.js';

const LARGE_THRESHOLD = { min: 50, max: 250 };

/**
 * Makes a session for a client that identifies: who it is, what it asks for, whether it may, which guilds it gets.
 * @throws Closing with the code of the first step that refuses
 */
export async function identify(connection: Applicant, data: IdentifyData): Promise<Admission> {
  const { gateway } = connection;
  const { app } = gateway;
  const intents = requireIntents(data.intents);
  const shard = requireShard(data.shard);
  const token = bareToken(data.token);
  const bot = await app.botTokens.authenticate(token);
  if (!bot) throw new Closing(closes.authenticationFailed);
  requirePrivileges(bot, intents);
  const retryAfterMs = await countIdentify(gateway, bot, shard);
  if (retryAfterMs !== null) return { refused: true, retryAfterMs };

  const session = openSession(gateway, bot, data, intents, shard);
  try {
    await gateway.bots.add(session);
    // A token that was replaced before the session heard of replacements.
    if (!(await app.botTokens.authenticate(token))) throw new Closing(closes.authenticationFailed);
    const guildIds = await guildsOf(gateway, session);
    if (data.compress === true) connection.compressPayloads();
    return { session, begin: () => begin(gateway, connection, session, guildIds) };
  } catch (error) {
    session.end();
    throw error;
  }
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

function requirePrivileges({ privilegedIntents }: AuthenticatedBot, intents: number): void {
  const allowed =
    (privilegedIntents.guildMembers ? GatewayIntentBits.GuildMembers : 0) |
    (privilegedIntents.presences ? GatewayIntentBits.GuildPresences : 0) |
    (privilegedIntents.messageContent ? GatewayIntentBits.MessageContent : 0);
  const privileged =
    GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;
  if ((intents & privileged & ~allowed) !== 0) throw new Closing(closes.disallowedIntents);
}

/** Counts the attempt; a refused one returns the milliseconds after which another may succeed. */
async function countIdentify(gateway: Gateway, bot: AuthenticatedBot, shard: Shard | null): Promise<number | null> {
  const { limits } = gateway.app;
  const id = String(bot.actor.user.id);
  const bucket = await limits.take(IDENTIFY_A_BUCKET, `${id}:${(shard?.id ?? 0) % IDENTIFY_CONCURRENCY}`);
  if (!bucket.allowed) return bucket.resetAfterMs;
  const day = await limits.take(IDENTIFY_A_DAY, id);
  return day.allowed ? null : day.resetAfterMs;
}

function openSession(
  gateway: Gateway,
  bot: AuthenticatedBot,
  data: IdentifyData,
  intents: number,
  shard: Shard | null,
): Session {
  const wished = data.large_threshold ?? LARGE_THRESHOLD.min;
  const terms = {
    id: randomBytes(16).toString('hex'),
    bot,
    intents,
    shard,
    largeThreshold: Math.min(Math.max(wished, LARGE_THRESHOLD.min), LARGE_THRESHOLD.max),
    presence: data.presence ?? null,
  };
  const session = new Session(gateway.app.clock, terms, () => {
    gateway.sessions.delete(session.id);
    gateway.bots.remove(session);
    gateway.feeds.remove(session);
    gateway.app.metrics.gatewaySessions.set(gateway.sessions.size);
  });
  gateway.sessions.set(session.id, session);
  gateway.app.metrics.gatewaySessions.set(gateway.sessions.size);
  return session;
}

/** The guilds of the session's shard, oldest first. @throws Closing 4011 */
async function guildsOf(gateway: Gateway, session: Session): Promise<bigint[]> {
  const memberships = await gateway.app.db.reader.member.findMany({
    where: { userId: session.botId },
    select: { guildId: true },
    orderBy: { guildId: 'asc' },
  });
  const guildIds = memberships.map(({ guildId }) => guildId).filter((guildId) => session.isResponsibleFor(guildId));
  if (guildIds.length > MAX_GUILDS_A_SHARD) throw new Closing(closes.shardingRequired);
  return guildIds;
}

function begin(gateway: Gateway, connection: Applicant, session: Session, guildIds: bigint[]): void {
  const { app } = gateway;
  const attachments = guildIds.map((guildId) => gateway.feeds.attach(guildId, session));
  session.dispatch(
    eventOf(
      GatewayDispatchEvents.Ready,
      renderReady({
        version: GATEWAY_VERSION,
        user: session.bot.actor.user,
        privilegedIntents: session.bot.privilegedIntents,
        guildIds,
        sessionId: session.id,
        resumeGatewayUrl: app.addresses.gatewayUrl,
        shard: session.shard,
      }),
    ),
  );
  session.attach(connection);
  void introduceGuilds(app, session, attachments);
}
