/** Of an audit log: what is looked for, and who did it. */
export interface LogSearch {
  /** An action, or what a group of them is called. */
  what?: string | undefined;
  /** The id of a person or a bot. */
  who?: string | undefined;
}

/** What is not understood is left out, for which it has to be named: the rest of an address is kept as it stands. */
export function logSearch({ what, who }: Record<string, unknown>): LogSearch {
  return {
    what: typeof what === 'string' ? what : undefined,
    who: typeof who === 'string' && /^\d{1,20}$/.test(who) ? who : undefined,
  };
}
