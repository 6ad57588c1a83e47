import { builder } from './builder.js';

export const WITH_INITIAL =
  'The present state comes first where `initial` asks for it; otherwise who connects again asks once for it.';

export const initialArgs = builder.args((t) => ({
  initial: t.boolean({ description: 'Whether the present state is the first value. It is not unless asked for.' }),
}));
