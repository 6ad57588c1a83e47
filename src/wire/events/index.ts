import type { Audience, BusMessage, ContentForms, EventName } from '../../domain/bus-message.js';
import { type TopicKind, topics } from '../../infra/processes/bus.js';
import type { WireOptions } from '../messages.js';
import { applicationEvents } from './applications.js';
import { auditLogEvents } from './audit-log.js';
import { banEvents } from './bans.js';
import { boxEvents } from './boxes.js';
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
import type { EventOf, EventRow, EventRows, GuildSubject, RowAudience, Subject } from './row.js';
import { teamEvents } from './teams.js';
import { typingEvents } from './typing.js';
import { userEvents } from './users.js';
import { voiceEvents } from './voice.js';
import { webhookEvents } from './webhooks.js';

export const EVENTS: EventRows = {
  ...applicationEvents,
  ...auditLogEvents,
  ...banEvents,
  ...boxEvents,
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

interface Address {
  topic: TopicKind;
  topics: string[];
  subject: Subject;
  audience: Audience | null;
}

export function renderEvent<Name extends EventName>(event: EventOf<Name>, options: WireOptions): Publication {
  const name: Name = event.type;
  const row: EventRow<EventOf<Name>> = EVENTS[name];
  const { d, content } = row.audience === null ? { d: {} } : row.render(event, options);
  return publication(name, addressOf(row, event), { data: JSON.stringify(d), content });
}

interface Rendered {
  data: string;
  content?: ContentForms | undefined;
}

/** Publishes a guild event that was rendered elsewhere. */
export function stampEvent(name: EventName, about: GuildSubject, rendered: Rendered): Publication {
  return publication(name, addressInGuild(EVENTS[name], about), rendered);
}

function publication(name: EventName, address: Address, { data, content }: Rendered): Publication {
  const { topic, topics: names, subject, audience } = address;
  return {
    topics: names,
    message: {
      type: name,
      topic,
      audience,
      invalidates: EVENTS[name].invalidates,
      ...routingOf(subject),
      data,
      ...(content ? { content } : {}),
    },
  };
}

/** Events that change access or a membership have a separate topic, for subscribers that cache only access. */
function addressInGuild(
  row: Pick<EventRows[EventName], 'topic' | 'audience' | 'invalidates'>,
  subject: GuildSubject,
): Address {
  const topic = row.topic === 'guild' && decidesAccess(row) ? 'facts' : 'guild';
  const audience = row.audience && stampedAudience(row.audience);
  return { topic, topics: [topics[topic](subject.guildId)], subject, audience };
}

function addressOf<Event>(row: EventRow<Event>, event: Event): Address {
  const audience = row.audience && stampedAudience(row.audience);
  const under = (topic: TopicKind, names: string[], subject: Subject) => ({ topic, topics: names, subject, audience });
  switch (row.topic) {
    case 'guild':
      return addressInGuild(row, row.about(event));
    case 'channel': {
      const subject = row.about(event);
      const { guildId } = subject;
      if (guildId !== null) return addressInGuild(row, { ...subject, guildId });
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
    case 'box': {
      const subject = row.about(event);
      return under('box', [topics.box(subject.boxId)], subject);
    }
    case 'boxes':
      return under('boxes', [topics.boxes], row.about(event));
    case 'sessions':
      return under('sessions', [topics.sessions], row.about(event));
  }
}

function decidesAccess({ invalidates }: Pick<BusMessage, 'invalidates'>): boolean {
  return invalidates.includes('view') || invalidates.includes('member');
}

/** Permission bits are decimal text, because they exceed JSON numbers. */
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

type Routing = Pick<
  BusMessage,
  'guildId' | 'channelId' | 'userId' | 'unavailable' | 'privilegedIntents' | 'interaction'
>;

function routingOf(subject: Subject): Routing {
  const facts: Routing = {};
  if ('guildId' in subject && subject.guildId != null) facts.guildId = String(subject.guildId);
  if ('channelId' in subject && subject.channelId !== undefined) facts.channelId = String(subject.channelId);
  if ('userId' in subject && subject.userId !== undefined) facts.userId = String(subject.userId);
  if ('unavailable' in subject && subject.unavailable) facts.unavailable = true;
  if ('privilegedIntents' in subject) facts.privilegedIntents = subject.privilegedIntents;
  if ('interaction' in subject && subject.interaction) {
    facts.interaction = { ...subject.interaction, id: String(subject.interaction.id) };
  }
  return facts;
}
