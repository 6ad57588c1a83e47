import { parseInput } from '../domain/parse-input.js';
import { NewPresence, type ShownPresence, setPresence } from '../domain/presences/index.js';
import { renderPresence } from '../wire/presences.js';
import { builder } from './builder.js';

const PresenceStatus = builder.enumType('PresenceStatus', {
  description: 'How a person is seen. Invisible is shown as offline.',
  values: {
    ONLINE: { value: 'online' },
    IDLE: { value: 'idle' },
    DND: { value: 'dnd' },
    INVISIBLE: { value: 'invisible' },
  } as const,
});

const SetPresenceInput = builder.inputType('SetPresenceInput', {
  fields: (t) => ({ status: t.field({ type: PresenceStatus, required: true }) }),
});

const PresencePayload = builder.objectRef<ShownPresence>('PresencePayload').implement({
  fields: (t) => ({
    presence: t.field({
      type: 'JSON',
      description: 'How others see the caller now, as the gateway would send it.',
      resolve: (presence) => renderPresence(presence),
    }),
  }),
});

builder.mutationField('setPresence', (t) =>
  t.field({
    type: PresencePayload,
    description: 'Says how the caller is seen, as long as they have a WebSocket open; all of these count as one.',
    args: { input: t.arg({ type: SetPresenceInput, required: true }) },
    resolve: (_root, { input }, { call }) => setPresence(call, parseInput(NewPresence, input)),
  }),
);
