import { z } from 'zod';

/** Whom a prune removes: ids as decimal text, times in milliseconds since the Unix epoch. */
export const PrunePayload = z.object({
  guildId: z.string(),
  /** Who was not here since then. */
  notSeenSince: z.number(),
  /** Who has no other roles than these. */
  roleIds: z.array(z.string()),
  /** Whose highest role stands below this; null for anybody's. */
  below: z.number().nullable(),
});

export type Selection = z.output<typeof PrunePayload>;
