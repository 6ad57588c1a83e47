import type { User } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';

/** Inputs of calls from the cloud to a box (docs/relay.md, R-27). */
export interface BoxQuestions {
  guild: { guild_id: string };
  member: { guild_id: string; user_id: string };
  members: { guild_id: string; after?: string; user_ids?: string[]; limit: number };
  notable_members: { guild_id: string; limit: number };
  search_members: { guild_id: string; query: string; limit: number };
  /** `bot` is sent as a user object. */
  install_bot: { guild_id: string; bot: User; name: string; permissions: string };
  remove_bot: { guild_id: string; bot_id: string };
  picture: { of: string; id: string; hash?: string; form: string };
}

/** The box's own message is only logged. */
const REFUSALS = {
  BANNED: 'This bot is banned from the server. Lift the ban there first.',
  UNKNOWN_GUILD: 'The box does not have this server.',
  FORBIDDEN: 'The box refused this request.',
} as const;

export type BoxRefusalCode = keyof typeof REFUSALS;

/** The box would refuse a retry too. */
export class BoxRefused extends DomainError {
  constructor(code: BoxRefusalCode) {
    super(code, REFUSALS[code]);
  }
}

/** Reaches boxes connected to any process. */
export interface BoxClient {
  /**
   * @returns the parsed JSON, not validated
   * @throws GuildUnavailable if the box is offline, times out, fails or sends invalid data; BoxRefused
   */
  ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown>;
}

/** Breaks a cycle: the client is created later. */
export class BoxClientRef implements BoxClient {
  #client: BoxClient | null = null;

  set(boxClient: BoxClient): void {
    this.#client = boxClient;
  }

  async ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown> {
    if (!this.#client) throw new DomainError('OVERLOADED', 'Boxes cannot be reached yet. Try again in a few seconds.');
    return this.#client.ask(boxId, name, input);
  }
}
