/** A failure of the control API that is not a refusal of the platform. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 504,
    /** For programs, in capitals. */
    readonly code: string,
    message: string,
    /** The end of the world's transcript, if the test waited in vain. */
    readonly transcript?: string,
  ) {
    super(message);
  }

  withTranscript(transcript: string): SandboxError {
    return new SandboxError(this.status, this.code, this.message, transcript);
  }
}

export function notFound(what: string, name: string, known: readonly string[]): SandboxError {
  const list = known.length === 0 ? 'There is none.' : `There are: ${known.join(', ')}.`;
  return new SandboxError(
    404,
    `UNKNOWN_${what.toUpperCase().replaceAll(' ', '_')}`,
    `There is no ${what} "${name}". ${list}`,
  );
}
