import { MessageType } from 'discord-api-types/v10';
import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { ChannelAccess } from '../channels/access.js';
import { type AllowedMentions, messageContent } from '../messages/content/body.js';
import { postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';

/**
 * The platform's application and bot, which post responses of built-in commands, reminders and greetings. Migrations
 * create them. The application is marked as deleted, so that it cannot be installed or called.
 */
export const PLATFORM_ID = 10_000_000_000_000_000n;

export async function findPlatformBot(call: CallContext): Promise<User> {
  return call.read.user.findUniqueOrThrow({ where: { id: PLATFORM_ID } });
}

/** The platform is a member of no guild. */
export function asPlatform(place: ChannelAccess): ChannelAccess {
  return place.kind === 'guild' ? { ...place, member: null } : place;
}

export interface Announcement {
  place: ChannelAccess;
  /** At most 4,000 characters. */
  content: string;
  /** Users whom the message may notify. */
  mentions: readonly bigint[];
  /** A second announcement with this key is not posted. */
  key?: string;
  /** The recipient of an ephemeral message. */
  visibleToId?: bigint;
}

/** @throws the errors of `postMessage` */
export async function announce(call: CallContext, announcement: Announcement): Promise<MessageRecord> {
  const { place, content, mentions, key, visibleToId } = announcement;
  const allowedMentions: AllowedMentions = { users: mentions };
  return postMessage(call, {
    author: await findPlatformBot(call),
    place: asPlatform(place),
    body: { content: messageContent.parse(content), allowedMentions },
    key,
    files: [],
    kind: MessageType.Default,
    ...(visibleToId === undefined ? {} : { visibleToId, applicationId: PLATFORM_ID }),
  });
}
