import { z } from 'zod';
import type { User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';

const owners = z.object({ guildId: z.string().optional(), userId: z.string().optional() });

const interactionFacts = z.object({
  id: z.string(),
  /** Discord's interaction type. */
  type: z.number().int(),
  /** The full name of a command, with groups and subcommands; otherwise the custom id. */
  name: z.string(),
  userId: z.string(),
  /** The application's installation: the guild, the user, or both. */
  owners,
  /** For a follow-up: the first response. */
  originalMessageId: z.string().optional(),
  /** For a component: its message. */
  interactedMessageId: z.string().optional(),
  /** The target of a context menu command. */
  targetUserId: z.string().optional(),
  targetMessageId: z.string().optional(),
});

/** As stored, with ids as decimal text. */
const messageInteraction = interactionFacts.extend({
  /** For a modal: the interaction that opened it. */
  triggering: interactionFacts.optional(),
});

export type MessageInteraction = z.output<typeof messageInteraction>;

export function storedInteraction(stored: unknown): MessageInteraction | null {
  return stored === null ? null : messageInteraction.parse(stored);
}

export function peopleOf(interaction: MessageInteraction | null): bigint[] {
  if (interaction === null) return [];
  const { userId, targetUserId, triggering } = interaction;
  return [userId, targetUserId, triggering?.userId, triggering?.targetUserId].flatMap((id) =>
    id === undefined ? [] : (parseSnowflake(id) ?? []),
  );
}

export function usersOf(interaction: MessageInteraction | null, known: ReadonlyMap<bigint, User>): User[] {
  return [...new Set(peopleOf(interaction))].flatMap((id) => known.get(id) ?? []);
}
