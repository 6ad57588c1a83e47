import { z } from 'zod';

/** What a greeting that is to be posted keeps: ids as decimal text. */
export const GreetingPayload = z.object({
  guildId: z.string(),
  userId: z.string(),
  kind: z.enum(['WELCOME', 'GOODBYE']),
});
