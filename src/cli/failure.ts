/** Ends the command with one line, without a stack. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/**
 * Sets the exit code and lets the process end, because `process.exit` drops output that is still on its way to a pipe.
 * @param work returns the exit code, 0 by default
 */
export async function exitWith(work: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`causeway: ${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
