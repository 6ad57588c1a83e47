import type { AppContext } from '../context.js';
import { builder } from './builder.js';

type Addresses = AppContext['addresses'];

const Instance = builder.objectRef<Addresses>('Instance').implement({
  description: 'Where this instance is reached.',
  fields: (t) => ({
    publicUrl: t.string({ resolve: ({ publicUrl }) => publicUrl }),
    restUrl: t.string({
      description: 'Of REST for bots, without a version: what libraries call the API.',
      resolve: ({ publicUrl }) => `${publicUrl}/api`,
    }),
    gatewayUrl: t.string({ description: 'Of the gateway for bots.', resolve: ({ gatewayUrl }) => gatewayUrl }),
  }),
});

builder.queryField('instance', (t) =>
  t.field({
    type: Instance,
    description: 'Also for those who are not signed in.',
    skipTypeScopes: true,
    resolve: (_root, _args, { app }) => app.addresses,
  }),
);
