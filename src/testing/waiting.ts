/** How long a bot may take, unless a call says otherwise. It is below the time limit of test runners. */
export const DEFAULT_WITHIN_MS = 4_000;

export interface Within {
  /** How long to wait, in milliseconds of real time. Default: 4,000. */
  withinMs?: number | undefined;
}
