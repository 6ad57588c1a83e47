import type { EventRows } from './row.js';

export const teamEvents = {
  TEAM_UPDATED: {
    topic: 'team',
    about: ({ teamId }) => ({ teamId }),
    invalidates: ['portal', 'home'],
    audience: null,
  },
  PORTAL_HOME_UPDATED: {
    topic: 'user',
    about: ({ userId }) => ({ userId }),
    invalidates: ['home'],
    audience: null,
  },
} satisfies Partial<EventRows>;
