import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { pause } from '../infra/clock.js';
import { nextTurn } from '../infra/turns.js';
import type { GatewayEvent } from './events.js';
import { guildUnavailable } from './guild-delete.js';
import type { FeedSession } from './guild-feed.js';
import { GUILD_RETRY_MS } from './protocol.js';
import type { Session } from './session.js';

/** Shows a new session its guilds, one in a turn of the event loop, no faster than its client reads. */
export async function introduceGuilds(app: AppContext, session: Session, feedSessions: FeedSession[]): Promise<void> {
  for (const feedSession of feedSessions) await introduceGuild(app, feedSession);
  session.markIntroduced();
}

/**
 * Dispatches GUILD_CREATE, then what happened in the guild since the session was attached to it. A guild that cannot be read at the
 * moment is shown as unavailable first, and as a whole once it can; nobody waits for that but what happens in the guild. One that is
 * out of reach is shown as unavailable and not held: it is introduced anew when its return is told (docs/gateway.md, G-50).
 */
export async function introduceGuild(app: AppContext, feedSession: FeedSession): Promise<void> {
  if (!feedSession.session.wants(GatewayIntentBits.Guilds)) return feedSession.release();
  if (await isShown(app, feedSession)) return;
  showUnavailable(app, feedSession);
  void showLater(app, feedSession);
}

async function showLater(app: AppContext, feedSession: FeedSession): Promise<void> {
  let wait: number = GUILD_RETRY_MS.first;
  do {
    await pause(app.clock, wait);
    wait = Math.min(2 * wait, GUILD_RETRY_MS.most);
  } while (!(await isShown(app, feedSession)));
}

/** Shows the guild to the session. @returns false when it could not be read, and is to be shown later */
async function isShown(app: AppContext, feedSession: FeedSession): Promise<boolean> {
  await feedSession.session.room();
  await nextTurn();
  if (feedSession.detached) return true;
  const create = await guildCreate(app, feedSession);
  if (feedSession.detached) return true;
  if (create === 'unreadable') return false;
  if (create === 'out of reach' || create === 'gone') showUnavailable(app, feedSession);
  else showWhole(app, feedSession, create);
  if (create === 'out of reach') feedSession.detach();
  else feedSession.release();
  return true;
}

function showUnavailable(app: AppContext, feedSession: FeedSession): void {
  const { feed, session } = feedSession;
  session.unavailableGuilds.add(feed.guildId);
  dispatch(app, feedSession, guildUnavailable(feed.guildId));
}

function showWhole(app: AppContext, feedSession: FeedSession, create: GatewayEvent): void {
  const { feed, session } = feedSession;
  session.unavailableGuilds.delete(feed.guildId);
  dispatch(app, feedSession, create);
}

function dispatch(app: AppContext, { session }: FeedSession, event: GatewayEvent): void {
  session.dispatch(event);
  event.settle();
  app.metrics.gatewayDispatches.inc({ type: event.type });
}

/** The guild as it is, or why it cannot be had. */
async function guildCreate(
  app: AppContext,
  feedSession: FeedSession,
): Promise<GatewayEvent | 'gone' | 'unreadable' | 'out of reach'> {
  const { feed, session } = feedSession;
  try {
    const [picture, member] = await Promise.all([feed.picture(), app.guilds.member(feed.guildId, session.botId)]);
    if (!picture || !member) return 'gone';
    return await picture.eventFor({
      user: session.user,
      member,
      seesPresences: session.wants(GatewayIntentBits.GuildPresences),
      seesVoice: session.wants(GatewayIntentBits.GuildVoiceStates),
      largeThreshold: session.largeThreshold,
    });
  } catch (error) {
    if (error instanceof GuildUnavailable) return 'out of reach';
    if (!refusalIn(error)) app.log.error({ err: error }, 'a guild could not be read for the gateway');
    feed.forgetPicture();
    return 'unreadable';
  }
}
