import { z } from 'zod';
import type { NewJob } from '../infra/jobs/index.js';
import { GreetingPayload } from './built-in-commands/greetings/payload.js';
import { ReminderPayload } from './built-in-commands/reminders/payload.js';
import { DeletionPayload } from './deletions/payload.js';
import { PrunePayload } from './members/prune-payload.js';

const NOTHING = z.object({});

/** JSON numbers cannot hold an id. */
const ID = z.string().regex(/^\d+$/).transform(BigInt);

/** `jobs.ts` has the handlers. */
export const JOB_PAYLOADS = {
  'abandoned-files': NOTHING,
  'delete-person': DeletionPayload,
  'due-deletions': NOTHING,
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
  'finish-deletion': z.object({ applicationId: ID }),
  greeting: GreetingPayload,
  reminder: ReminderPayload,
};

export type DomainJobPayloads = typeof JOB_PAYLOADS;

export type DomainJob = NewJob<DomainJobPayloads>;
