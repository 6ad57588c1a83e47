import { builder } from './builder.js';

/** What was removed, by its id. */
export const DeletedPayload = builder.objectRef<{ id: bigint }>('DeletedPayload').implement({
  fields: (t) => ({ id: t.id({ resolve: ({ id }) => String(id) }) }),
});
