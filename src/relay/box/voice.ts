export interface WireVoiceState {
  channel_id?: unknown;
  user_id?: unknown;
  guild_id?: unknown;
  self_mute?: unknown;
  mute?: unknown;
}

/** Boxes have one bit for both kinds of mute (docs/relay.md, R-36). */
export function withOneMuteBit<State extends WireVoiceState>(state: State): State {
  const isMuted = state.self_mute === true || state.mute === true;
  return { ...state, self_mute: isMuted, mute: isMuted };
}

/** Converts voice states to a box's events. */
export class VoiceReporter {
  /** Guild id to user id to channel id. */
  readonly #guilds = new Map<string, Map<string, string>>();

  /** A move to another channel becomes two events. */
  tell(state: WireVoiceState): WireVoiceState[] {
    const told = withOneMuteBit(state);
    const isMoved = this.#note(state);
    return isMoved ? [{ ...told, channel_id: null }, told] : [told];
  }

  forget(guildId: string): void {
    this.#guilds.delete(guildId);
  }

  /** @returns whether the user was in another channel */
  #note({ guild_id: guildId, user_id: userId, channel_id: channelId }: WireVoiceState): boolean {
    const [guild, user] = [String(guildId), String(userId)];
    const channels = this.#guilds.get(guild) ?? new Map<string, string>();
    const before = channels.get(user);
    if (typeof channelId === 'string') channels.set(user, channelId);
    else channels.delete(user);
    if (channels.size === 0) this.#guilds.delete(guild);
    else this.#guilds.set(guild, channels);
    return typeof channelId === 'string' && before !== undefined && before !== channelId;
  }
}
