import type { Limit } from '../../infra/rate-limits.js';
import { identifyPerDay, limits, REQUESTS_PER_CALLER, SENDS_PER_CHANNEL, SIGN_UP_PER_ADDRESS } from '../limits.js';

export type LimitSubjectKind = 'PERSON' | 'BOT' | 'ADDRESS';

export interface ChangeableLimit {
  name: string;
  description: string;
  /** Stands after a value, such as “MiB”. */
  unit: string;
  /** Null for {@link LimitKind} `FILES`, whose default is a setting. */
  preset: number | null;
  min: number;
  max: number;
  subjects: readonly LimitSubjectKind[];
  /** Undefined for a limit of what is stored. */
  rate?: Limit;
}

/** A limit of events per window. */
function rate(limit: Limit): Pick<ChangeableLimit, 'preset' | 'rate'> {
  return { preset: limit.points, rate: limit };
}

/** Limits that operators change, for the instance and for single subjects. */
const CHANGEABLE_LIMITS = {
  SIGN_UPS: {
    name: 'Sign-ups',
    description: 'Sign-ups from one network address, with failed ones.',
    unit: 'a minute',
    min: 0,
    max: 10_000,
    subjects: ['ADDRESS'],
    ...rate(SIGN_UP_PER_ADDRESS),
  },
  MESSAGES: {
    name: 'Messages',
    description: 'Messages that one person or bot sends in one channel.',
    unit: 'in 5 seconds',
    min: 0,
    max: 1_000,
    subjects: ['PERSON', 'BOT'],
    ...rate(SENDS_PER_CHANNEL),
  },
  FILES: {
    name: 'Files',
    description: 'Files that one person stores in messages, commands and modals, with those of their bots.',
    unit: 'MiB',
    preset: null,
    min: 0,
    max: 1_000_000_000,
    subjects: ['PERSON'],
  },
  GUILDS: {
    name: 'Servers',
    description: 'Servers that one person owns. Only creating a server is refused.',
    unit: 'servers',
    preset: limits.guildsPerOwner,
    min: 0,
    max: 1_000,
    subjects: ['PERSON'],
  },
  IDENTIFIES: {
    name: 'Gateway sessions',
    description:
      'Gateway sessions that one bot starts (IDENTIFY). A bot in 150,000 servers or more may start more unless you set a value.',
    unit: 'a day',
    min: 0,
    max: 1_000_000,
    subjects: ['BOT'],
    ...rate(identifyPerDay(0)),
  },
  REQUESTS: {
    name: 'Requests',
    description: 'Requests of one person or bot, or of one network address without a valid credential.',
    unit: 'a second',
    // The portal must stay usable, also for operators.
    min: 5,
    max: 10_000,
    subjects: ['PERSON', 'BOT', 'ADDRESS'],
    ...rate(REQUESTS_PER_CALLER),
  },
} as const satisfies Record<string, ChangeableLimit>;

export type LimitKind = keyof typeof CHANGEABLE_LIMITS;

export const LIMIT_KINDS = Object.keys(CHANGEABLE_LIMITS) as [LimitKind, ...LimitKind[]];

export function limitOf(kind: LimitKind): ChangeableLimit {
  return CHANGEABLE_LIMITS[kind];
}

export function isLimitKind(kind: string): kind is LimitKind {
  return Object.hasOwn(CHANGEABLE_LIMITS, kind);
}
