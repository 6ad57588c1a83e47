import { builder } from './builder.js';

/** What was removed, by its id, or its code for an invite. */
export const DeletedPayload = builder.objectRef<{ id: bigint | string }>('DeletedPayload').implement({
  fields: (t) => ({ id: t.id({ resolve: ({ id }) => String(id) }) }),
});
