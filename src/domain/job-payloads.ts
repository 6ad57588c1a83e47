import { z } from 'zod';
import type { NewJob } from '../infra/jobs/index.js';
import { GreetingPayload } from './built-in-commands/greetings/payload.js';
import { ReminderPayload } from './built-in-commands/reminders/payload.js';
import { PrunePayload } from './members/prune-payload.js';

/** Of jobs that need to know nothing. */
const NOTHING = z.object({});

/** An id, which JSON has no numbers for. */
const ID = z.string().regex(/^\d+$/).transform(BigInt);

/** What each kind of job needs to know; `jobs.ts` says how it is done. */
export const JOB_PAYLOADS = {
  'abandoned-files': NOTHING,
  'expired-rows': NOTHING,
  'messages-of-banned': z.object({ guildId: ID, authorId: ID, after: ID, last: ID }),
  'name-keys': NOTHING,
  'overdue-interactions': NOTHING,
  'prune-members': PrunePayload,
  'remove-guild': z.object({ guildId: z.string(), channelIds: z.array(z.string()) }),
  'remove-channel': z.object({ channelId: z.string() }),
  'show-user': z.object({ userId: z.string() }),
  'settle-box-bot': z.object({ guildId: ID, botId: ID, isStranger: z.boolean().optional() }),
  'forget-box-bot': z.object({ guildId: ID, botId: ID }),
  greeting: GreetingPayload,
  reminder: ReminderPayload,
};

export type DomainJobPayloads = typeof JOB_PAYLOADS;

/** Something that is to be done later. */
export type DomainJob = NewJob<DomainJobPayloads>;
