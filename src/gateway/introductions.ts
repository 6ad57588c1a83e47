import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { nextTurn } from '../infra/turns.js';
import { renderUnavailableGuild } from '../wire/ready.js';
import { eventOf, type GatewayEvent } from './events.js';
import type { Attachment } from './guild-feed.js';
import type { Session } from './session.js';

/** Shows a new session its guilds, one in a turn of the event loop, no faster than its client reads. */
export async function introduceGuilds(app: AppContext, session: Session, attachments: Attachment[]): Promise<void> {
  for (const attachment of attachments) await introduceGuild(app, attachment);
  session.markIntroduced();
}

/** Dispatches GUILD_CREATE, then what happened in the guild since the session was attached to it. */
export async function introduceGuild(app: AppContext, attachment: Attachment): Promise<void> {
  const { session } = attachment;
  if (session.wants(GatewayIntentBits.Guilds)) {
    await session.room();
    await nextTurn();
    if (attachment.detached) return;
    const event = await guildCreate(app, attachment);
    if (attachment.detached) return;
    session.dispatch(event);
    event.settle();
    app.metrics.gatewayDispatches.inc({ type: event.type });
  }
  attachment.release();
}

/** A guild that is gone, or cannot be read at the moment, is shown as unavailable. */
async function guildCreate(app: AppContext, { feed, session }: Attachment): Promise<GatewayEvent> {
  try {
    const [picture, member] = await Promise.all([feed.picture(), app.guilds.member(feed.guildId, session.botId)]);
    if (picture && member) {
      return await picture.eventFor({
        user: session.bot.actor.user,
        member,
        seesMembers: session.wants(GatewayIntentBits.GuildPresences),
        largeThreshold: session.largeThreshold,
      });
    }
  } catch (error) {
    if (!refusalIn(error)) app.log.error({ err: error }, 'a guild could not be read for the gateway');
  }
  return eventOf(GatewayDispatchEvents.GuildDelete, renderUnavailableGuild(feed.guildId));
}
