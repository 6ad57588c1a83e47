/** A result of `causeway doctor`. `--json` prints it. */
export interface Check {
  name: CheckName;
  /** A start fails on an error, and succeeds in spite of a warning. */
  status: 'ok' | 'warning' | 'error';
  message: string;
  /** Missing if the message says what to do. */
  advice?: string;
}

export type CheckName =
  | 'node'
  | 'sqlite'
  | 'images'
  | 'passwords'
  | 'portal'
  | 'settings'
  | 'port'
  | 'data-dir'
  | 'database'
  | 'redis';

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
