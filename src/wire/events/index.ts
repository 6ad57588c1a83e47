import type { Audience, BusMessage, EventName } from '../../domain/bus-message.js';
import { type TopicKind, topics } from '../../infra/bus.js';
import type { WireOptions } from '../messages.js';
import { applicationEvents } from './applications.js';
import { auditLogEvents } from './audit-log.js';
import { banEvents } from './bans.js';
import { channelEvents } from './channels.js';
import { commandPermissionEvents } from './command-permissions.js';
import { guildEvents } from './guilds.js';
import { interactionEvents } from './interactions.js';
import { inviteEvents } from './invites.js';
import { memberEvents } from './members.js';
import { messageEvents } from './messages.js';
import { presenceEvents } from './presences.js';
import { reactionEvents } from './reactions.js';
import { roleEvents } from './roles.js';
import type { EventOf, EventRow, EventRows, RowAudience, Subject } from './row.js';
import { teamEvents } from './teams.js';
import { typingEvents } from './typing.js';
import { userEvents } from './users.js';
import { voiceEvents } from './voice.js';
import { webhookEvents } from './webhooks.js';

/** Every event there is, each stated once. */
export const EVENTS: EventRows = {
  ...applicationEvents,
  ...auditLogEvents,
  ...banEvents,
  ...channelEvents,
  ...commandPermissionEvents,
  ...guildEvents,
  ...interactionEvents,
  ...inviteEvents,
  ...memberEvents,
  ...messageEvents,
  ...presenceEvents,
  ...reactionEvents,
  ...roleEvents,
  ...teamEvents,
  ...typingEvents,
  ...userEvents,
  ...voiceEvents,
  ...webhookEvents,
};

export interface Publication {
  topics: string[];
  message: BusMessage;
}

/** Where an event goes, and what its receivers are told of where it came from. */
interface Address {
  topic: TopicKind;
  topics: string[];
  subject: Subject;
  audience: Audience | null;
}

/** Renders what happened, once: under which topics it is published, and the message, stamped with what its row says. */
export function renderEvent<Name extends EventName>(event: EventOf<Name>, options: WireOptions): Publication {
  const name: Name = event.type;
  const row: EventRow<EventOf<Name>> = EVENTS[name];
  const { topic, topics: names, subject, audience } = addressOf(row, event);
  const rendering = row.audience === null ? { d: {} } : row.render(event, options);
  return {
    topics: names,
    message: {
      type: name,
      topic,
      audience,
      invalidates: row.invalidates,
      ...factsOf(subject),
      data: JSON.stringify(rendering.d),
      ...(rendering.content ? { content: rendering.content } : {}),
    },
  };
}

function addressOf<Event>(row: EventRow<Event>, event: Event): Address {
  const audience = row.audience && stampedAudience(row.audience);
  const under = (topic: TopicKind, names: string[], subject: Subject) => ({ topic, topics: names, subject, audience });
  switch (row.topic) {
    case 'guild': {
      const subject = row.about(event);
      const topic = decidesAccess(row) ? 'facts' : 'guild';
      return under(topic, [topics[topic](subject.guildId)], subject);
    }
    case 'channel': {
      const subject = row.about(event);
      if (subject.guildId !== null) return under('guild', [topics.guild(subject.guildId)], subject);
      const direct = row.audience && { intent: row.audience.directIntent };
      return { ...under('user', (subject.recipientIds ?? []).map(topics.user), subject), audience: direct };
    }
    case 'user': {
      const subject = row.about(event);
      return under('user', [topics.user(subject.userId)], subject);
    }
    case 'application': {
      const subject = row.about(event);
      return under('application', [topics.application(subject.applicationId)], subject);
    }
    case 'team': {
      const subject = row.about(event);
      return under('team', [topics.team(subject.teamId)], subject);
    }
    case 'sessions':
      return under('sessions', [topics.sessions], row.about(event));
  }
}

/** Whether those have to hear of it who only remember who may do what in the guild. */
function decidesAccess({ invalidates }: Pick<BusMessage, 'invalidates'>): boolean {
  return invalidates.includes('view') || invalidates.includes('member');
}

/** Permission bits travel as decimal text: JSON has no numbers of their size. */
function stampedAudience({ intent, inChannel, anyInGuild, ownBot, detaches, once }: RowAudience): Audience {
  return {
    intent,
    ...(inChannel === undefined ? {} : { inChannel: String(inChannel) }),
    ...(anyInGuild === undefined ? {} : { anyInGuild: String(anyInGuild) }),
    ...(ownBot === undefined ? {} : { ownBot }),
    ...(detaches === undefined ? {} : { detaches }),
    ...(once === undefined ? {} : { once }),
  };
}

type Facts = Pick<BusMessage, 'guildId' | 'channelId' | 'userId' | 'privilegedIntents' | 'interaction'>;

/** What of an event's subject its receivers filter by. */
function factsOf(subject: Subject): Facts {
  const facts: Facts = {};
  if ('guildId' in subject && subject.guildId != null) facts.guildId = String(subject.guildId);
  if ('channelId' in subject && subject.channelId !== undefined) facts.channelId = String(subject.channelId);
  if ('userId' in subject && subject.userId !== undefined) facts.userId = String(subject.userId);
  if ('privilegedIntents' in subject) facts.privilegedIntents = subject.privilegedIntents;
  if ('interaction' in subject && subject.interaction) {
    facts.interaction = { ...subject.interaction, id: String(subject.interaction.id) };
  }
  return facts;
}
