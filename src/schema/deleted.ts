import { builder } from './builder.js';

export const DeletedPayload = builder.objectRef<{ id: bigint | string }>('DeletedPayload').implement({
  description: 'Result of a mutation that removes something.',
  fields: (t) => ({
    id: t.id({
      description: 'ID of the removed object, or another value that the mutation names.',
      resolve: ({ id }) => String(id),
    }),
  }),
});
