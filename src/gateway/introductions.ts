import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { pause } from '../infra/clock.js';
import { nextTurn } from '../infra/turns.js';
import type { GatewayEvent } from './events.js';
import { guildUnavailable } from './guild-delete.js';
import type { Attachment } from './guild-feed.js';
import { GUILD_RETRY_MS } from './protocol.js';
import type { Session } from './session.js';

/** Shows a new session its guilds, one in a turn of the event loop, no faster than its client reads. */
export async function introduceGuilds(app: AppContext, session: Session, attachments: Attachment[]): Promise<void> {
  for (const attachment of attachments) await introduceGuild(app, attachment);
  session.markIntroduced();
}

/**
 * Dispatches GUILD_CREATE, then what happened in the guild since the session was attached to it. A guild that cannot be read at the
 * moment is shown as unavailable first, and as a whole once it can; nobody waits for that but what happens in the guild. One that is
 * out of reach is shown as unavailable and not held: it is introduced anew when its return is told (docs/gateway.md, G-50).
 */
export async function introduceGuild(app: AppContext, attachment: Attachment): Promise<void> {
  if (!attachment.session.wants(GatewayIntentBits.Guilds)) return attachment.release();
  if (await isShown(app, attachment)) return;
  dispatch(app, attachment, guildUnavailable(attachment.feed.guildId));
  void showLater(app, attachment);
}

async function showLater(app: AppContext, attachment: Attachment): Promise<void> {
  let wait: number = GUILD_RETRY_MS.first;
  do {
    await pause(app.clock, wait);
    wait = Math.min(2 * wait, GUILD_RETRY_MS.most);
  } while (!(await isShown(app, attachment)));
}

/** Shows the guild to the session. @returns false when it could not be read, and is to be shown later */
async function isShown(app: AppContext, attachment: Attachment): Promise<boolean> {
  await attachment.session.room();
  await nextTurn();
  if (attachment.detached) return true;
  const create = await guildCreate(app, attachment);
  if (attachment.detached) return true;
  if (create === 'unreadable') return false;
  dispatch(app, attachment, create === 'out of reach' ? guildUnavailable(attachment.feed.guildId) : create);
  if (create === 'out of reach') attachment.detach();
  else attachment.release();
  return true;
}

function dispatch(app: AppContext, { session }: Attachment, event: GatewayEvent): void {
  session.dispatch(event);
  event.settle();
  app.metrics.gatewayDispatches.inc({ type: event.type });
}

/** The guild as it is, or as unavailable when it is gone; or why it cannot be had. */
async function guildCreate(
  app: AppContext,
  attachment: Attachment,
): Promise<GatewayEvent | 'unreadable' | 'out of reach'> {
  const { feed, session } = attachment;
  try {
    const [picture, member] = await Promise.all([feed.picture(), app.guilds.member(feed.guildId, session.botId)]);
    if (!picture || !member) return guildUnavailable(feed.guildId);
    return await picture.eventFor({
      user: session.user,
      member,
      seesMembers: session.wants(GatewayIntentBits.GuildPresences),
      largeThreshold: session.largeThreshold,
    });
  } catch (error) {
    if (error instanceof GuildUnavailable) return 'out of reach';
    if (!refusalIn(error)) app.log.error({ err: error }, 'a guild could not be read for the gateway');
    feed.forgetPicture();
    return 'unreadable';
  }
}
