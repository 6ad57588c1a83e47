import type { TestServer } from './server.js';

interface GraphqlFault {
  message: string;
  path?: (string | number)[];
  extensions: {
    code?: string;
    fields?: Record<string, { code: string; message: string }[]>;
    requestId?: string;
    /** Seconds. */
    retryAfter?: number;
  };
}

export interface GraphqlAnswer<Data> {
  status: number;
  data: Data | null;
  errors: GraphqlFault[];
}

/** The data of a response. Tests know its shape better than a type would. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Loose = any;

export async function askGraphql<Data = Loose>(
  server: Pick<TestServer, 'origin'>,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer<Data>> {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data = null, errors = [] } = (await response.json()) as { data?: Data; errors?: GraphqlFault[] };
  return { status: response.status, data, errors };
}

/** The code of a refusal, or undefined. */
export const codeOf = ({ errors }: GraphqlAnswer<Loose>) => errors[0]?.extensions.code;
