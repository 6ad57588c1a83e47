import { parseInput } from '../domain/parse-input.js';
import { NewPresence, type ShownPresence, setPresence } from '../domain/presences/index.js';
import { renderPresence } from '../wire/presences.js';
import { builder, inputOf } from './builder.js';

const PresenceStatus = builder.enumType('PresenceStatus', {
  description: 'Status of a person.',
  values: {
    ONLINE: { value: 'online', description: 'Shown as online.' },
    IDLE: { value: 'idle', description: 'Shown as idle.' },
    DND: { value: 'dnd', description: 'Shown as do not disturb.' },
    INVISIBLE: { value: 'invisible', description: 'Shown as offline.' },
  } as const,
});

const SetPresenceInput = builder.inputType('SetPresenceInput', {
  description: "The caller's new status.",
  fields: (t) => ({
    status: t.field({ type: PresenceStatus, required: true, description: 'Status that others see.' }),
  }),
});

const PresencePayload = builder.objectRef<ShownPresence>('PresencePayload').implement({
  description: "The caller's presence.",
  fields: (t) => ({
    presence: t.field({
      type: 'JSON',
      description: 'Presence that others see, in the format of the gateway.',
      resolve: (presence) => renderPresence(presence),
    }),
  }),
});

builder.mutationField('setPresence', (t) =>
  t.field({
    type: PresencePayload,
    description: "Sets the caller's status on all their WebSockets to `/graphql`. Fails if none is open.",
    args: { input: t.arg(inputOf(SetPresenceInput)) },
    resolve: (_root, { input }, { call }) => setPresence(call, parseInput(NewPresence, input)),
  }),
);
