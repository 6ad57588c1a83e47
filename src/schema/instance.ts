import type { AppContext } from '../context.js';
import { builder } from './builder.js';

type Addresses = AppContext['addresses'];

export const Instance = builder.objectRef<Addresses>('Instance').implement({
  description: 'This instance: its public URLs, and what its operators see.',
  fields: (t) => ({
    publicUrl: t.string({
      description: 'Origin of the portal and of links.',
      resolve: ({ publicUrl }) => publicUrl,
    }),
    restUrl: t.string({
      description: 'Base URL of the REST API for bots, without a version.',
      resolve: ({ publicUrl }) => `${publicUrl}/api`,
    }),
    gatewayUrl: t.string({ description: 'URL of the gateway for bots.', resolve: ({ gatewayUrl }) => gatewayUrl }),
  }),
});

builder.queryField('instance', (t) =>
  t.field({
    type: Instance,
    description: 'Public URLs of this instance. Callers need not be signed in.',
    skipTypeScopes: true,
    resolve: (_root, _args, { app }) => app.addresses,
  }),
);
