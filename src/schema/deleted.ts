import { builder } from './builder.js';

/** For an invite, the id is its code. */
export const DeletedPayload = builder.objectRef<{ id: bigint | string }>('DeletedPayload').implement({
  fields: (t) => ({ id: t.id({ resolve: ({ id }) => String(id) }) }),
});
