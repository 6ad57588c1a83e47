import type { EventRows } from './row.js';

export const instanceEvents = {
  LIMITS_UPDATED: {
    topic: 'limits',
    about: () => ({}),
    invalidates: [],
    audience: null,
  },
} satisfies Partial<EventRows>;
