/** Of an audit log: what is looked for, and who did it. */
export interface LogSearch {
  /** An action, or what a group of them is called. */
  what?: string;
  /** The id of a person or a bot. */
  who?: string;
}

/** What is not understood is left out. */
export function logSearch({ what, who }: Record<string, unknown>): LogSearch {
  return {
    ...(typeof what === 'string' ? { what } : {}),
    ...(typeof who === 'string' && /^\d{1,20}$/.test(who) ? { who } : {}),
  };
}
