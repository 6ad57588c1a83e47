import { MessageType } from 'discord-api-types/v10';
import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { Place } from '../channels/place.js';
import { type AllowedMentions, messageContent, messageNonce } from '../messages/body.js';
import { postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';

/**
 * The platform's own application and its bot, in whose name it speaks: answers of built-in commands, reminders, greetings. Both rows come
 * with the migrations. The application counts as deleted, so that nobody can install it, sign in as it, or ask anything of it.
 */
export const PLATFORM_ID = 10_000_000_000_000_000n;

/** The platform's bot. */
export async function findPlatformBot(call: CallContext): Promise<User> {
  return call.read.user.findUniqueOrThrow({ where: { id: PLATFORM_ID } });
}

/** Somebody's place as the platform's, which is no member anywhere. */
export function asPlatform(place: Place): Place {
  return place.kind === 'guild' ? { ...place, member: null } : place;
}

/** Something the platform says by itself. */
export interface Announcement {
  place: Place;
  /** At most 4,000 characters. */
  content: string;
  /** Whom it notifies of those it mentions. */
  mentions: readonly bigint[];
  /** What a repetition within five minutes is known by, which then is not posted. */
  key?: string;
  /** The one person who sees it; everybody in the channel where it is not given. */
  visibleToId?: bigint;
}

/** Has the platform say something. @throws what `postMessage` throws */
export async function announce(call: CallContext, announcement: Announcement): Promise<MessageRecord> {
  const { place, content, mentions, key, visibleToId } = announcement;
  const allowedMentions: AllowedMentions = { users: mentions };
  return postMessage(call, {
    author: await findPlatformBot(call),
    place: asPlatform(place),
    body: {
      content: messageContent.parse(content),
      allowedMentions,
      ...(key === undefined ? {} : { nonce: messageNonce.parse(key), enforceNonce: true }),
    },
    files: [],
    kind: MessageType.Default,
    ...(visibleToId === undefined ? {} : { visibleToId, applicationId: PLATFORM_ID }),
  });
}
