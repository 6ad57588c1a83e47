import type { Frame } from '../../../harness/gateway-client.js';
import type { Journal, SentMessage } from './journal.js';

export interface SessionRecord {
  name: string;
  botId: string;
  /** All dispatches, in order. */
  dispatches: Dispatched[];
  resumes: number;
  /** Why it ended before the history did, or null. */
  ending: string | null;
}

export interface Dispatched extends Pick<Frame, 't' | 's' | 'd'> {
  /** When it was received, by the clock of the journal. */
  at: number;
}

/** The writes of a history, with which sessions are compared. */
export interface Truth {
  journal: Journal;
  /** Ids of all messages of channels that are never deleted, by channel, ascending. */
  messages: ReadonlyMap<string, readonly string[]>;
}

export interface Findings {
  faults: string[];
  /** Times that a guild became unavailable and was sent again. */
  gaps: number;
  /** Messages that such a GUILD_CREATE includes, and that were not sent themselves. */
  missed: number;
}

/** Checks what a session received by G-21 to G-29 and G-33 of `docs/gateway.md`. */
export function checkSession(record: SessionRecord, truth: Truth): Findings {
  const walk = new Walk(record, truth);
  for (const dispatched of record.dispatches) walk.take(dispatched);
  if (record.ending === null) walk.end();
  return walk;
}

interface KnownGuild {
  isShown: boolean;
  isUnavailable: boolean;
  channels: Set<string>;
}

const isBefore = (id: string, other: string) => BigInt(id) < BigInt(other);

class Walk implements Findings {
  readonly faults: string[] = [];
  gaps = 0;
  missed = 0;
  /** Missing messages by guild, unless the guild is sent again. */
  readonly #missing = new Map<string, string[]>();
  #sequence = 0;
  readonly #guilds = new Map<string, KnownGuild>();
  /** The newest message that was received, or that GUILD_CREATE includes, by channel. */
  readonly #newest = new Map<string, string>();
  /** The newest message that GUILD_CREATE includes, by channel. */
  readonly #included = new Map<string, string>();
  readonly #received = new Set<string>();
  readonly #edits = new Set<string>();
  readonly #deleted = new Set<string>();
  /** Messages that may have been deleted before a GUILD_CREATE, which then does not include them. */
  readonly #deletedBefore = new Set<string>();
  readonly #sent: ReadonlyMap<string | null, SentMessage>;

  constructor(
    private readonly record: SessionRecord,
    private readonly truth: Truth,
  ) {
    this.#sent = new Map(truth.journal.sent.map((sent) => [sent.id, sent]));
  }

  take(dispatched: Dispatched): void {
    const { t, s, d } = dispatched;
    if (s !== this.#sequence + 1) this.#fault(dispatched, `follows s ${this.#sequence}`);
    this.#sequence = s ?? 0;
    switch (t) {
      case 'GUILD_CREATE':
        this.#takeGuild(dispatched);
        return;
      case 'GUILD_DELETE':
        this.#excuse(d.id, d.unavailable);
        this.#guilds.set(d.id, { isShown: false, isUnavailable: d.unavailable === true, channels: new Set() });
        return;
      case 'CHANNEL_CREATE':
        this.#guildOf(dispatched)?.channels.add(d.id);
        return;
      case 'CHANNEL_DELETE':
        this.#guildOf(dispatched)?.channels.delete(d.id);
        return;
      case 'MESSAGE_CREATE':
        this.#takeMessage(dispatched);
        return;
      case 'MESSAGE_UPDATE':
        this.#takeEdit(dispatched);
        return;
      case 'MESSAGE_DELETE':
        this.#deleted.add(d.id);
        return;
      default:
        if (d?.guild_id) this.#guildOf(dispatched);
    }
  }

  end(): void {
    for (const [guildId, { isShown, channels }] of this.#guilds) {
      if (!isShown) continue;
      for (const [channelId, newest] of this.#newest) {
        if (channels.has(channelId)) this.#miss(guildId, channelId, newest, null);
      }
    }
    for (const missing of this.#missing.values()) this.faults.push(...missing);
  }

  #takeGuild(dispatched: Dispatched): void {
    const { d, at } = dispatched;
    if (this.#guilds.get(d.id)?.isShown) this.#fault(dispatched, 'is known already');
    const isAfterGap = this.#guilds.get(d.id)?.isUnavailable === true;
    if (isAfterGap) {
      this.gaps += 1;
      this.#received.clear();
    }
    const channels: { id: string; last_message_id?: string | null }[] = d.channels;
    this.#guilds.set(d.id, { isShown: true, isUnavailable: false, channels: new Set(channels.map(({ id }) => id)) });
    this.#edits.clear();
    const { deletions } = this.truth.journal;
    for (const { id, last_message_id } of channels) {
      const included = last_message_id ?? '0';
      const newest = this.#newest.get(id);
      if (newest && isAfterGap) this.missed += this.#between(id, newest, String(BigInt(included) + 1n)).length;
      this.#included.set(id, included);
      for (const later of this.#between(id, included, null)) {
        if ((deletions.get(later) ?? at) < at) this.#deletedBefore.add(later);
      }
      if (!newest || isBefore(newest, included)) this.#newest.set(id, included);
    }
  }

  #takeMessage(dispatched: Dispatched): void {
    const { id, channel_id: channelId, content } = dispatched.d;
    const { journal } = this.truth;
    const guild = this.#guildOf(dispatched);
    if (guild && !guild.channels.has(channelId))
      this.#fault(dispatched, 'is in a channel that the client does not have');
    if (this.#received.has(id)) this.#fault(dispatched, 'was sent before');
    if (this.#deleted.has(id)) this.#fault(dispatched, 'follows its deletion');
    this.#received.add(id);
    this.#checkPlace(dispatched);
    const sent = this.#sent.get(id);
    if (!sent) return;
    if (sent.content !== content) this.#fault(dispatched, `was sent as ${sent.content}`);
    if (journal.isHidden(this.record.botId, sent, dispatched.at))
      this.#fault(dispatched, 'was sent while it was hidden');
  }

  #checkPlace(dispatched: Dispatched): void {
    const { id, channel_id: channelId, guild_id: guildId } = dispatched.d;
    const newest = this.#newest.get(channelId) ?? '0';
    if (isBefore(newest, id)) {
      this.#miss(guildId, channelId, newest, id);
      this.#newest.set(channelId, id);
    } else if (this.gaps === 0 && isBefore(this.#included.get(channelId) ?? '0', id))
      this.#fault(dispatched, `follows message ${newest}`);
  }

  #takeEdit(dispatched: Dispatched): void {
    const { id, edited_timestamp: editedAt } = dispatched.d;
    this.#guildOf(dispatched);
    const key = `${id} ${editedAt}`;
    if (this.#edits.has(key)) this.#fault(dispatched, 'was sent before');
    if (this.#deleted.has(id)) this.#fault(dispatched, 'follows its deletion');
    this.#edits.add(key);
  }

  /** Notes messages of an always visible channel between two that were not received. */
  #miss(guildId: string, channelId: string, after: string, before: string | null): void {
    if (this.truth.journal.isEverHidden(this.record.botId, channelId)) return;
    const missing = this.#between(channelId, after, before).filter((id) => !this.#deletedBefore.has(id));
    const lines = missing.map((id) => `${this.record.name}: misses ${this.#sent.get(id)?.content ?? id}`);
    if (lines.length > 0) this.#missing.set(guildId, [...(this.#missing.get(guildId) ?? []), ...lines]);
  }

  /** A client that is shown the guild again knows that it has missed something. */
  #excuse(guildId: string, isUnavailable: boolean): void {
    if (!isUnavailable) return;
    this.missed += this.#missing.get(guildId)?.length ?? 0;
    this.#missing.delete(guildId);
  }

  #between(channelId: string, after: string, before: string | null): string[] {
    const ids = this.truth.messages.get(channelId) ?? [];
    return ids.filter((id) => isBefore(after, id) && (before === null || isBefore(id, before)));
  }

  #guildOf(dispatched: Dispatched): KnownGuild | null {
    const guild = this.#guilds.get(dispatched.d.guild_id);
    if (guild?.isShown) return guild;
    this.#fault(dispatched, 'is of a guild that the client does not have');
    return null;
  }

  #fault({ t, s, d }: Dispatched, what: string): void {
    this.faults.push(`${this.record.name}: ${t} ${d?.id ?? ''} (s ${s}) ${what}`);
  }
}
