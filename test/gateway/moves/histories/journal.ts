/** When a request was sent and answered, in milliseconds of one clock. */
export interface Span {
  startedAt: number;
  /** Infinity without an answer, so that its effect is unknown. */
  answeredAt: number;
}

export interface SentMessage extends Span {
  guildId: string;
  channelId: string;
  content: string;
  /** Null without an answer. */
  id: string | null;
}

/** A request that hides a channel from a bot or shows it, or that removes the bot from a guild or adds it. */
export interface SightChange extends Span {
  botId: string;
  /** The channel or guild. */
  placeId: string;
  isVisible: boolean;
}

/** Notes the requests of the writers. */
export class Journal {
  readonly sent: SentMessage[] = [];
  readonly sights: SightChange[] = [];
  /** Times in which a process may not have heard of a change (G-26). */
  readonly outages: Span[] = [];
  /** When each message's deletion was requested, by its id. */
  readonly deletions = new Map<string, number>();

  isEverHidden(botId: string, placeId: string): boolean {
    return this.sights.some((sight) => sight.botId === botId && sight.placeId === placeId && !sight.isVisible);
  }

  /** Whether the bot could not see the message from before it was sent until it was received. */
  isHidden(botId: string, { guildId, channelId, startedAt }: SentMessage, receivedAt: number): boolean {
    return [guildId, channelId].some((placeId) => this.#isHiddenAt(botId, placeId, startedAt, receivedAt));
  }

  #isHiddenAt(botId: string, placeId: string, startedAt: number, receivedAt: number): boolean {
    const own = this.sights.filter((sight) => sight.botId === botId && sight.placeId === placeId);
    const hiding = own.findLast((sight) => !sight.isVisible && sight.answeredAt < startedAt);
    if (!hiding || this.outages.some((one) => one.startedAt < receivedAt && one.answeredAt > hiding.startedAt)) {
      return false;
    }
    return !own.some((sight) => sight.isVisible && sight.answeredAt > hiding.startedAt && sight.startedAt < receivedAt);
  }
}
