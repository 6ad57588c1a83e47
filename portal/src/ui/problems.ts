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
}

const UNREACHABLE = 'The server could not be reached. What you typed is still here; try again.';

const BROKEN = 'Something went wrong on the server. Whoever runs it finds what by the id of the request.';

type Faults = Record<string, { message: string }[]>;

/** What a refusal says, in words and by field. */
export function problemIn({ graphQLErrors, networkError }: CombinedError): Problem {
  const [error] = graphQLErrors;
  if (!error) return { ...NONE, code: 'NETWORK', message: networkError ? UNREACHABLE : 'Something went wrong.' };
  const { code, fields = {}, retryAfter, requestId } = error.extensions;
  const faults = Object.entries(fields as Faults).map(([path, [fault]]) => [path, fault?.message ?? '']);
  const { '': whole, ...atFields } = Object.fromEntries(faults) as Record<string, string>;
  return {
    message: whole ?? (Object.keys(atFields).length > 0 ? null : requestId === undefined ? error.message : BROKEN),
    fields: atFields,
    code: typeof code === 'string' ? code : 'INTERNAL',
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

const NONE = { message: null, fields: {}, retryAfter: null, requestId: null };

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
