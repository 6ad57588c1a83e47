import type {
  Audience,
  BusMessage,
  ContentForms,
  EventName,
  Invalidation,
  Publication,
} from '../../domain/bus-message.js';
import { topics } from '../../infra/streams/topics.js';
import type { WireOptions } from '../messages.js';
import { applicationEvents } from './applications.js';
import { auditLogEvents } from './audit-log.js';
import { banEvents } from './bans.js';
import { boxEvents } from './boxes.js';
import { channelEvents } from './channels.js';
import { commandPermissionEvents } from './command-permissions.js';
import { guildEvents } from './guilds.js';
import { instanceEvents } from './instance.js';
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
  ...instanceEvents,
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

interface Address {
  topics: string[];
  subject: Subject;
  audience: Audience | null;
}

export function renderEvent<Name extends EventName>(event: EventOf<Name>, options: WireOptions): Publication {
  const name: Name = event.type;
  const row: EventRow<EventOf<Name>> = EVENTS[name];
  const { d, content } = row.audience === null ? { d: {} } : row.render(event, options);
  const { topics, message } = publication(name, addressOf(row, event), { data: JSON.stringify(d), content });
  const keepsAccess = 'keepsAccess' in event && event.keepsAccess === true;
  const invalidates = keepsAccess ? withoutAccess(message) : message.invalidates;
  const more = { ...changesOf(row, event), ...embeddedOf(row, event), ...stateOf(row, event) };
  return { topics, message: { ...message, invalidates, ...more } };
}

function withoutAccess({ invalidates, channelId }: BusMessage): Invalidation[] {
  const others = invalidates.filter((what) => what !== 'view' && what !== 'roles');
  return channelId === undefined ? others : ['channel', ...others];
}

function changesOf<Event>(row: EventRow<Event>, event: Event): Pick<BusMessage, 'changes'> {
  return row.changes ? { changes: row.changes(event) } : {};
}

function stateOf<Event>(row: EventRow<Event>, event: Event): Pick<BusMessage, 'state'> {
  const state = row.state?.(event);
  return state ? { state } : {};
}

function embeddedOf<Event>(row: EventRow<Event>, event: Event): Pick<BusMessage, 'embedded'> {
  const embedded = row.embeds?.(event);
  return embedded && Object.keys(embedded.fields).length > 0 ? { embedded } : {};
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
  const { topics: names, subject, audience } = address;
  return {
    topics: names,
    message: {
      type: name,
      audience,
      invalidates: EVENTS[name].invalidates,
      ...routingOf(subject),
      data,
      ...(content ? { content } : {}),
    },
  };
}

function addressInGuild(row: Pick<EventRows[EventName], 'audience'>, subject: GuildSubject): Address {
  const audience = row.audience && stampedAudience(row.audience);
  return { topics: [topics.guild(subject.guildId)], subject, audience };
}

function addressOf<Event>(row: EventRow<Event>, event: Event): Address {
  const audience = row.audience && stampedAudience(row.audience);
  const under = (names: string[], subject: Subject) => ({ topics: names, subject, audience });
  switch (row.topic) {
    case 'guild':
      return addressInGuild(row, row.about(event));
    case 'channel': {
      const subject = row.about(event);
      const { guildId } = subject;
      if (guildId !== null) return addressInGuild(row, { ...subject, guildId });
      const direct = row.audience && { intent: row.audience.directIntent };
      return { ...under((subject.recipientIds ?? []).map(topics.user), subject), audience: direct };
    }
    case 'user': {
      const subject = row.about(event);
      return under([topics.user(subject.userId)], subject);
    }
    case 'application': {
      const subject = row.about(event);
      return under([topics.application(subject.applicationId)], subject);
    }
    case 'team': {
      const subject = row.about(event);
      return under([topics.team(subject.teamId)], subject);
    }
    case 'box': {
      const subject = row.about(event);
      return under([topics.box(subject.boxId)], subject);
    }
    case 'boxes':
      return under([topics.boxes], row.about(event));
    case 'limits':
      return under([topics.limits], row.about(event));
    case 'sessions':
      return under([topics.sessions], row.about(event));
  }
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
