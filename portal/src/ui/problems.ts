import type { CombinedError } from 'urql';

export interface Problem {
  /** Null if each fault belongs to a field. */
  message: string | null;
  /** By the path of the field in the input. */
  fields: Record<string, string>;
  /** `NETWORK` if there was no response. */
  code: string;
  /** In seconds. */
  retryAfter: number | null;
  /** Id in the server's log; null unless the server failed. */
  requestId: string | null;
  /** Distinguishes refusals that share a code. */
  reason: string | null;
}

/** After a timeout, the outcome of the request is unknown. */
export function unreachable(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout
    ? 'The server did not respond in time. Your input is still here. Check whether it was saved before you try again.'
    : 'The server could not be reached. Your input is still here; try again.';
}

export const BROKEN = 'Something went wrong on the server. If it happens again, send the request ID to the operator.';

type Faults = Record<string, { code: string; message: string }[]>;

export function problemIn({ graphQLErrors, networkError }: CombinedError): Problem {
  const [error] = graphQLErrors;
  if (!error)
    return {
      ...NONE,
      code: 'NETWORK',
      message: networkError ? unreachable(networkError) : 'Something went wrong. Try again.',
    };
  const { code, fields = {}, retryAfter, requestId, reason } = error.extensions;
  const faults = Object.entries(fields as Faults).map(([path, [fault]]) => [path, fault?.message ?? '']);
  const { '': whole, ...atFields } = Object.fromEntries(faults) as Record<string, string>;
  return {
    message: whole ?? (Object.keys(atFields).length > 0 ? null : requestId === undefined ? error.message : BROKEN),
    fields: atFields,
    code: typeof code === 'string' ? code : 'INTERNAL',
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
    requestId: typeof requestId === 'string' ? requestId : null,
    reason: typeof reason === 'string' ? reason : null,
  };
}

/** Whether the id's format is invalid, so the object cannot exist. */
export function isMalformedId({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions: { fields = {} } }) =>
    Object.values(fields as Faults)
      .flat()
      .some(({ code }) => code === 'NUMBER_TYPE_COERCE'),
  );
}

export const NONE = { message: null, fields: {}, retryAfter: null, requestId: null, reason: null };

/** Like {@link problemIn}, for queries, which are retried automatically. */
export function unshownProblem(error: CombinedError): Problem {
  const problem = problemIn(error);
  return problem.code === 'NETWORK'
    ? { ...problem, message: 'The server could not be reached. Retrying automatically.' }
    : problem;
}

export function sentenceOf({ message, fields }: Problem): string {
  return message ?? Object.values(fields).join(' ');
}

/** Includes the request id and the wait, for places that show one string only. */
export function wholeTextOf(problem: Problem): string {
  const { requestId, retryAfter } = problem;
  return [
    sentenceOf(problem),
    requestId !== null && `Request ID: ${requestId}.`,
    retryAfter !== null && waitText(Math.ceil(retryAfter)),
  ]
    .filter(Boolean)
    .join(' ');
}

export function waitText(seconds: number): string {
  return `You can try again in ${seconds} s.`;
}
