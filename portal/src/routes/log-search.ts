/** Audit log filter. */
export interface LogSearch {
  /** Action or name of a group of actions. */
  what?: string | undefined;
  /** Id of a user or bot. */
  who?: string | undefined;
}

/** Returns invalid values as undefined explicitly, because the router keeps parameters missing from the result. */
export function logSearch({ what, who }: Record<string, unknown>): LogSearch {
  return {
    what: typeof what === 'string' ? what : undefined,
    who: typeof who === 'string' && /^\d{1,20}$/.test(who) ? who : undefined,
  };
}
