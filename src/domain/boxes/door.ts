import type { User } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';

/** What the cloud asks of a box for itself, and of what (docs/relay.md, R-27). */
export interface BoxQuestions {
  guild: { guild_id: string };
  member: { guild_id: string; user_id: string };
  members: { guild_id: string; after?: string; user_ids?: string[]; limit: number };
  notable_members: { guild_id: string; limit: number };
  search_members: { guild_id: string; query: string; limit: number };
  /** The bot's row; on its way it becomes a user object. */
  install_bot: { guild_id: string; bot: User; name: string; permissions: string };
  remove_bot: { guild_id: string; bot_id: string };
  /** What has the picture, and which of its pictures. */
  picture: { of: string; id: string; hash?: string; form: string };
}

/** What a box refuses with, in words that are not the box's. */
const REFUSALS = {
  BANNED: 'This bot is banned from the server: lift the ban there first.',
  UNKNOWN_GUILD: 'The self-hosted server does not know this server.',
  FORBIDDEN: 'The self-hosted server refuses this.',
} as const;

export type BoxRefusalCode = keyof typeof REFUSALS;

/** A box was reached and refuses what it was asked: it would again, so that nobody should try it anew. What the box says of it is logged. */
export class BoxRefused extends DomainError {
  constructor(code: BoxRefusalCode) {
    super(code, REFUSALS[code]);
  }
}

/** The way to boxes, whichever process has their connections. */
export interface BoxDoor {
  /**
   * Asks a box about one of its guilds, or a picture.
   * @returns what it answered, as JSON was parsed, which nobody has looked at yet
   * @throws GuildUnavailable when the box is away, does not answer in time, fails, or answers what cannot be decoded; BoxRefused for what it refuses
   */
  ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown>;
}

/** A door that is there before the way to boxes is. */
export class BoxDoorway implements BoxDoor {
  #door: BoxDoor | null = null;

  /** From here on, it leads there. */
  leadTo(door: BoxDoor): void {
    this.#door = door;
  }

  async ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown> {
    if (!this.#door) throw new DomainError('OVERLOADED', 'Self-hosted servers cannot be reached yet.');
    return this.#door.ask(boxId, name, input);
  }
}
