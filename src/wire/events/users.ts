import { renderOwnUser } from '../users.js';
import { type EventRows, NO_INTENT } from './row.js';

export const userEvents = {
  USER_UPDATE: {
    topic: 'user',
    about: ({ user }) => ({ userId: user.id }),
    invalidates: [],
    audience: { intent: NO_INTENT },
    render: ({ user }) => ({ d: renderOwnUser(user, null) }),
  },
  SESSION_ENDED: {
    topic: 'sessions',
    about: ({ userId }) => ({ userId }),
    invalidates: ['session'],
    audience: null,
  },
  SUSPENDED: {
    topic: 'sessions',
    about: ({ userId }) => ({ userId }),
    invalidates: ['session'],
    audience: null,
  },
  RESTORED: {
    topic: 'sessions',
    about: ({ userId }) => ({ userId }),
    invalidates: ['session'],
    audience: null,
  },
  PERSON_UPDATED: {
    topic: 'sessions',
    about: ({ userId }) => ({ userId }),
    invalidates: [],
    audience: null,
  },
} satisfies Partial<EventRows>;
