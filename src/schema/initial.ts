import { builder } from './builder.js';

export const WITH_INITIAL =
  'If `initial` is true, the current state comes first. Otherwise, query it after each reconnect.';

export const initialArgs = builder.args((t) => ({
  initial: t.boolean({ description: 'Whether to send the current state first. Default: false.' }),
}));
