import { LRUCache } from 'lru-cache';
import { atMost } from '../infra/caching/subscribed-cache.js';
import type { DomainEvent } from './events.js';

/** The oldest changes are dropped first. */
const MAX_KNOWN = 20_000;

/**
 * Changes of members and messages that this process published. Embedded older data would overwrite newer data in
 * clients' caches.
 */
export class LatestChanges {
  #count = 0;
  readonly #changes = new LRUCache<string, number>(atMost(MAX_KNOWN));

  now(): number {
    return this.#count;
  }

  note(event: DomainEvent): void {
    const keys = changedBy(event);
    if (keys.length === 0) return;
    this.#count += 1;
    for (const key of keys) this.#changes.set(key, this.#count);
  }

  /**
   * Removes embedded data, all of which is optional, if it has changed since.
   * @param since value of {@link now} when the writer began to read
   */
  upToDate(event: DomainEvent, since: number): DomainEvent {
    const isOutdated = (key: string) => (this.#changes.get(key) ?? 0) > since;
    switch (event.type) {
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE': {
        const { message, member } = event;
        const { guildId, authorId, referenced, ...rest } = message;
        const isAnsweredOutdated = referenced ? isOutdated(keyOfMessage(referenced.id)) : false;
        return {
          ...event,
          message: isAnsweredOutdated ? { ...rest, guildId, authorId } : message,
          member: isOutdated(keyOfMember(guildId, authorId)) ? null : member,
        };
      }
      case 'MESSAGE_REACTION_ADD':
      case 'TYPING_START':
        return isOutdated(keyOfMember(event.guildId, event.user.id)) ? { ...event, member: null } : event;
      default:
        return event;
    }
  }
}

const keyOfMember = (guildId: bigint | null, userId: bigint) => `member ${guildId} ${userId}`;
const keyOfMessage = (id: bigint) => `message ${id}`;

function changedBy(event: DomainEvent): string[] {
  switch (event.type) {
    case 'GUILD_MEMBER_ADD':
    case 'GUILD_MEMBER_UPDATE':
      return [keyOfMember(event.member.guildId, event.member.userId)];
    case 'GUILD_MEMBER_REMOVE':
      return [keyOfMember(event.guildId, event.user.id)];
    case 'MESSAGE_UPDATE':
      return [keyOfMessage(event.message.id)];
    case 'MESSAGE_DELETE':
      return [keyOfMessage(event.messageId)];
    case 'MESSAGE_DELETE_BULK':
      return event.messageIds.map(keyOfMessage);
    default:
      return [];
  }
}
