export interface LogSearch {
  /** Action or group of actions. */
  what?: string | undefined;
  /** Id of a user or bot. */
  who?: string | undefined;
}

/** Invalid values must be undefined explicitly, or the router keeps them. */
export function logSearch({ what, who }: Record<string, unknown>): LogSearch {
  return {
    what: typeof what === 'string' ? what : undefined,
    who: typeof who === 'string' && /^\d{1,20}$/.test(who) ? who : undefined,
  };
}
