import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
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

/**
 * Dispatches GUILD_CREATE, then what happened in the guild since the session was attached to it. A guild that is out of reach is
 * shown as unavailable and not held: it is introduced anew when its return is told (docs/gateway.md, G-50).
 */
export async function introduceGuild(app: AppContext, attachment: Attachment): Promise<void> {
  const { session, feed } = attachment;
  if (session.wants(GatewayIntentBits.Guilds)) {
    await session.room();
    await nextTurn();
    if (attachment.detached) return;
    const create = await guildCreate(app, attachment);
    if (attachment.detached) return;
    const event = create ?? unavailable(feed.guildId);
    session.dispatch(event);
    event.settle();
    app.metrics.gatewayDispatches.inc({ type: event.type });
    if (!create) return attachment.detach();
  }
  attachment.release();
}

/** Null for a guild out of reach. One that is gone, or could not be read, is shown as unavailable. */
async function guildCreate(app: AppContext, { feed, session }: Attachment): Promise<GatewayEvent | null> {
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
    if (error instanceof GuildUnavailable) return null;
    if (!refusalIn(error)) app.log.error({ err: error }, 'a guild could not be read for the gateway');
  }
  return unavailable(feed.guildId);
}

function unavailable(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, renderUnavailableGuild(guildId));
}
