import type { EventRows } from './row.js';

export const applicationEvents = {
  APPLICATION_UPDATED: {
    topic: 'application',
    about: ({ applicationId, intents }) => ({
      applicationId,
      ...(intents ? { privilegedIntents: intents } : {}),
    }),
    invalidates: ['token', 'portal', 'home'],
    audience: null,
  },
  TESTERS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['portal'],
    audience: null,
  },
  APPLICATION_WEBHOOKS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['portal'],
    audience: null,
  },
  APPLICATION_EMOJIS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['portal'],
    audience: null,
  },
  COMMANDS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['commands', 'portal'],
    audience: null,
  },
  COMMAND_ACCESS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['commands', 'portal', 'home'],
    audience: null,
  },
  BOT_SESSIONS_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['portal', 'home'],
    audience: null,
  },
  CLIENT_SECRET_RESET: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['portal'],
    audience: null,
  },
  APPLICATION_SUSPENSION_UPDATED: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['token', 'commands', 'portal', 'home'],
    audience: null,
  },
  BOT_TOKEN_RESET: {
    topic: 'application',
    about: ({ applicationId }) => ({ applicationId }),
    invalidates: ['token', 'portal'],
    audience: null,
  },
} satisfies Partial<EventRows>;
