import { GatewayIntentBits } from 'discord-api-types/v10';
import type { ConnectionFault } from './protocol.js';

/** A gateway connection of a bot. */
export interface BotConnection {
  disturb(fault: ConnectionFault): void;
}

/** Longest wait for an event, in milliseconds. */
const SENT_WITHIN_MS = 2_000;

/** The open gateway connections of bots, by application. */
export class BotConnections {
  readonly #open = new Map<bigint, Set<BotConnection>>();
  readonly #intents = new Map<bigint, number>();
  readonly #waiting = new Map<string, () => void>();

  of(applicationId: bigint): readonly BotConnection[] {
    return [...(this.#open.get(applicationId) ?? [])];
  }

  /** @param intents of IDENTIFY; null for a RESUME */
  add(applicationId: bigint, connection: BotConnection, intents: number | null): void {
    const open = this.#open.get(applicationId) ?? new Set();
    this.#open.set(applicationId, open.add(connection));
    if (intents !== null) this.#intents.set(applicationId, intents);
  }

  delete(applicationId: bigint, connection: BotConnection): void {
    this.#open.get(applicationId)?.delete(connection);
  }

  /** Call this after GUILD_CREATE was sent. */
  noteGuild(applicationId: bigint, guildId: string): void {
    this.#waiting.get(`${applicationId} ${guildId}`)?.();
  }

  /** Resolves once GUILD_CREATE is sent, if the bot is connected and receives it. */
  async untilGuildIsSent(applicationId: bigint, guildId: bigint): Promise<void> {
    const wantsGuilds = ((this.#intents.get(applicationId) ?? 0) & GatewayIntentBits.Guilds) !== 0;
    if (!wantsGuilds || this.of(applicationId).length === 0) return;
    const key = `${applicationId} ${guildId}`;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SENT_WITHIN_MS);
      this.#waiting.set(key, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#waiting.delete(key);
  }
}
