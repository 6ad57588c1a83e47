import { Failure } from '../failure.js';
import { accountPage, requireToken, type ServerOptions, USAGE_ERROR } from './options.js';

const TIMEOUT_MS = 60_000;

interface FieldFault {
  message: string;
}

export interface GraphqlError {
  message: string;
  extensions?: {
    code?: string;
    /** By path. */
    fields?: Record<string, FieldFault[]>;
    retryAfter?: number;
    requestId?: string;
  };
}

/** A refusal of the server. */
export class Refusal extends Failure {
  constructor(
    message: string,
    readonly code: string,
    readonly fields: Readonly<Record<string, readonly FieldFault[]>> = {},
  ) {
    super(message);
  }
}

/** The server may have done what was asked. */
export class NoAnswer extends Failure {}

/** @throws {Refusal} @throws {NoAnswer} */
export async function askServer<Data>(options: Server, query: string, variables: object): Promise<Data> {
  return dataOf<Data>(await send(options, JSON.stringify({ query, variables })), options.url, refusalOf);
}

/**
 * @param source where the answer comes from, such as a URL
 * @throws {Refusal} @throws {NoAnswer}
 */
export function dataOf<Data>({ data, errors = [] }: Answer, source: string, refusal: typeof refusalOf): Data {
  const [error] = errors;
  if (error) throw refusal(error, source);
  if (!data) throw new NoAnswer(`${source} does not answer like an instance of Causeway`);
  return data as Data;
}

type Server = Pick<ServerOptions, 'url' | 'token'>;

interface Answer {
  data?: unknown;
  errors?: GraphqlError[];
}

async function send(options: Server, body: string): Promise<Answer> {
  const { url } = options;
  const token = requireToken(options);
  if (!URL.canParse('/graphql', url))
    throw new Failure(`${url} is not a URL; correct --url or CAUSEWAY_URL`, USAGE_ERROR);
  try {
    const response = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return readAnswer(await response.text(), url, response.status);
  } catch (error) {
    throw new NoAnswer(`${url} could not be reached (${reasonOf(error)}); check --url or CAUSEWAY_URL`);
  }
}

export function readAnswer(text: string, source: string, status: number): Answer {
  return asAnswer(text) ?? { errors: [{ message: `${source} answered with status ${status}, and no JSON` }] };
}

function asAnswer(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' ? answer : null;
  } catch {
    return null;
  }
}

/** `fetch` hides the reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}

export function refusalOf({ message, extensions = {} }: GraphqlError, url: string): Refusal {
  const { code = '', fields, retryAfter, requestId } = extensions;
  switch (code) {
    case 'UNAUTHENTICATED':
      return new Refusal(
        `${url} refused the token; it may be expired or revoked. Create one at ${accountPage(url)}`,
        code,
      );
    case 'NOT_FOUND':
      return new Refusal(`${message}. It does not exist at ${url}, or you have no role in it`, code);
    case 'RATE_LIMITED':
      return new Refusal(`${message} Try again in ${Math.ceil(retryAfter ?? 1)} s`, code);
    default:
      return new Refusal(requestId === undefined ? message : `${message} (request ${requestId})`, code, fields);
  }
}
