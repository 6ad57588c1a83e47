import type { CombinedError } from 'urql';

/** Why something that was asked for was not done, as a form shows it. */
export interface Problem {
  /** What is said above the buttons; null where every fault stands at a field. */
  message: string | null;
  /** What is said at fields, by their paths in the input. */
  fields: Record<string, string>;
  /** Of GraphQL's answer; `NETWORK` where none came. */
  code: string;
  /** In how many seconds it is worth trying again. */
  retryAfter: number | null;
  /** By which whoever runs the instance finds what went wrong. */
  requestId: string | null;
  /** What sort of refusal it is, where its code alone does not say it. */
  reason: string | null;
}

/** What is said when no answer came: of a request that was given up, nobody knows whether it was carried out. */
export function unreachable(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout
    ? 'The server did not answer in time. What you typed is still here. Check whether it was saved before you try again.'
    : 'The server could not be reached. What you typed is still here; try again.';
}

/** What is said where the server is at fault. */
export const BROKEN = 'Something went wrong on the server. Whoever runs it finds what by the id of the request.';

type Faults = Record<string, { code: string; message: string }[]>;

/** What a refusal says, in words and by field. */
export function problemIn({ graphQLErrors, networkError }: CombinedError): Problem {
  const [error] = graphQLErrors;
  if (!error)
    return { ...NONE, code: 'NETWORK', message: networkError ? unreachable(networkError) : 'Something went wrong.' };
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

/** Whether what was asked for by an id cannot be there, since no id is written like that. */
export function isMalformedId({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions: { fields = {} } }) =>
    Object.values(fields as Faults)
      .flat()
      .some(({ code }) => code === 'NUMBER_TYPE_COERCE'),
  );
}

/** A problem of which nothing is known. */
export const NONE = { message: null, fields: {}, retryAfter: null, requestId: null, reason: null };

/** Why something is not shown that was asked for. */
export function unshownProblem(error: CombinedError): Problem {
  const problem = problemIn(error);
  return problem.code === 'NETWORK'
    ? { ...problem, message: 'The server could not be reached. It is asked again by itself.' }
    : problem;
}

/** A refusal in one text, for where there are no fields. */
export function sentenceOf({ message, fields }: Problem): string {
  return message ?? Object.values(fields).join(' ');
}

/** A refusal in one text with all that is known of it, for where nothing can stand beside it. */
export function wholeTextOf(problem: Problem): string {
  const { requestId, retryAfter } = problem;
  return [
    sentenceOf(problem),
    requestId !== null && `The id is ${requestId}.`,
    retryAfter !== null && waitText(Math.ceil(retryAfter)),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Says when it is worth trying again. */
export function waitText(seconds: number): string {
  return `You can try again in ${seconds} s.`;
}
