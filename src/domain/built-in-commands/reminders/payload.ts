import { z } from 'zod';

/** Ids as decimal text, `askedAt` in milliseconds since the Unix epoch. */
export const ReminderPayload = z.object({
  userId: z.string(),
  channelId: z.string(),
  guildId: z.string().nullable(),
  about: z.string(),
  askedAt: z.number(),
});
