import { z } from 'zod';

/** Ids are decimal text; times are milliseconds since the Unix epoch. */
export const PrunePayload = z.object({
  guildId: z.string(),
  notSeenSince: z.number(),
  /** A member with any other role stays. */
  roleIds: z.array(z.string()),
  /** The highest role must be below this position; null for no limit. */
  below: z.number().nullable(),
});

export type Selection = z.output<typeof PrunePayload>;
