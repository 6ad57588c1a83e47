import { z } from 'zod';
import type { NewJob } from '../infra/jobs/index.js';
import { GreetingPayload } from './greetings/payload.js';
import { ReminderPayload } from './reminders/payload.js';

/** Of jobs that need to know nothing. */
const NOTHING = z.object({});

/** What each kind of job needs to know; `jobs.ts` says how it is done. */
export const JOB_PAYLOADS = {
  'abandoned-files': NOTHING,
  'expired-rows': NOTHING,
  'overdue-interactions': NOTHING,
  greeting: GreetingPayload,
  reminder: ReminderPayload,
};

export type DomainJobPayloads = typeof JOB_PAYLOADS;

/** Something that is to be done later. */
export type DomainJob = NewJob<DomainJobPayloads>;
