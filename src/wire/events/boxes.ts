import type { EventRows } from './row.js';

export const boxEvents = {
  BOX_UPDATED: {
    topic: 'box',
    about: ({ boxId }) => ({ boxId }),
    invalidates: ['portal', 'home', 'routes'],
    audience: null,
  },
  BOX_DELETED: {
    topic: 'box',
    about: ({ boxId }) => ({ boxId }),
    invalidates: ['portal', 'home', 'routes'],
    audience: null,
  },
  BOX_ROUTES_UPDATED: {
    topic: 'boxes',
    about: () => ({}),
    invalidates: ['routes'],
    audience: null,
  },
} satisfies Partial<EventRows>;
