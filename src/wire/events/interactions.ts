import { renderInteraction } from '../interactions.js';
import { type EventRows, NO_INTENT } from './row.js';

export const interactionEvents = {
  INTERACTION_CREATE: {
    topic: 'application',
    about: ({ request: { application, place }, interaction: { id }, listenerId }) => ({
      applicationId: application.id,
      guildId: place.kind === 'guild' ? place.guildId : null,
      interaction: { id, state: 'DELIVERING', ...(listenerId === undefined ? {} : { listenerId }) },
    }),
    invalidates: [],
    audience: { intent: NO_INTENT, once: true },
    render: ({ request, interaction }, options) => ({ d: renderInteraction(request, interaction, options) }),
  },
  INTERACTION_UPDATED: {
    topic: 'application',
    about: ({ applicationId, interaction }) => ({ applicationId, interaction }),
    invalidates: [],
    audience: null,
  },
} satisfies Partial<EventRows>;
