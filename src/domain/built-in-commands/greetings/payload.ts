import { z } from 'zod';

/** Ids as decimal text. */
export const GreetingPayload = z.object({
  guildId: z.string(),
  userId: z.string(),
  kind: z.enum(['WELCOME', 'GOODBYE']),
});
