import { z } from 'zod';
import type { User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids.js';

const owners = z.object({ guildId: z.string().optional(), userId: z.string().optional() });

const interactionFacts = z.object({
  id: z.string(),
  /** The reference platform's interaction type. */
  type: z.number().int(),
  /** Of a command its name, groups and subcommands included; of anything else its custom id. */
  name: z.string(),
  /** Who set it off. */
  userId: z.string(),
  /** Where the application is installed: the guild, the person, or both. */
  owners,
  /** For a follow-up: the first answer. */
  originalMessageId: z.string().optional(),
  /** For a component: the message it stands in. */
  interactedMessageId: z.string().optional(),
  /** What a context menu was opened on. */
  targetUserId: z.string().optional(),
  targetMessageId: z.string().optional(),
});

/** The interaction that a message answers, as the message keeps it: ids as decimal text. */
const messageInteraction = interactionFacts.extend({
  /** For a modal: what it was opened by. */
  triggering: interactionFacts.optional(),
});

export type MessageInteraction = z.output<typeof messageInteraction>;

/** What a row keeps of the interaction its message answers; null for none. */
export function storedInteraction(stored: unknown): MessageInteraction | null {
  return stored === null ? null : messageInteraction.parse(stored);
}

/** Whom an interaction is shown with. */
export function peopleOf(interaction: MessageInteraction | null): bigint[] {
  if (interaction === null) return [];
  const { userId, targetUserId, triggering } = interaction;
  return [userId, targetUserId, triggering?.userId, triggering?.targetUserId].flatMap((id) =>
    id === undefined ? [] : (parseSnowflake(id) ?? []),
  );
}

/** Of people somebody looked up, those an interaction is shown with. */
export function usersOf(interaction: MessageInteraction | null, known: ReadonlyMap<bigint, User>): User[] {
  return [...new Set(peopleOf(interaction))].flatMap((id) => known.get(id) ?? []);
}
