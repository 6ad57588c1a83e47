import { z } from 'zod';

/** Ids as decimal text. */
export const DeletionPayload = z.object({
  personId: z.string(),
  /** Names and the email address, which the person's row no longer has. */
  names: z.array(z.string()),
  email: z.string(),
  withMessages: z.boolean(),
  /** Whether this run only removes what requests under way left behind. */
  isSweep: z.boolean(),
});

export type DeletionPayload = z.output<typeof DeletionPayload>;
