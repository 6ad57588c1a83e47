/** Runs GraphQL operations as one user. */
export type GraphQL = <T>(query: string, variables?: Record<string, unknown>) => Promise<T>;

export interface Credentials {
  name: string;
  email: string;
  password: string;
}

export interface Person {
  /** The session token, for `Authorization: Bearer`. */
  token: string;
  graphql: GraphQL;
}

class Refused extends Error {
  constructor(
    path: string,
    readonly status: number,
    text: string,
  ) {
    super(`${path} answered ${status}: ${text}`);
  }
}

/** Makes an account at the instance at `api`, and its first session. */
export async function signUp(api: string, credentials: Credentials): Promise<Person> {
  return begin(api, '/auth/sign-up/email', credentials);
}

export async function signInOrUp(api: string, credentials: Credentials): Promise<Person> {
  try {
    return await signUp(api, credentials);
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    return begin(api, '/auth/sign-in/email', credentials);
  }
}

async function begin(api: string, path: string, credentials: Credentials): Promise<Person> {
  const { token } = await post<{ token: string }>(api, path, credentials);
  return {
    token,
    async graphql<T>(query: string, variables = {}) {
      const answer = await post<GraphqlAnswer<T>>(api, '/graphql', { query, variables }, token);
      if (answer.errors) throw new Error(answer.errors.map(({ message }) => message).join('; '));
      return answer.data;
    },
  };
}

interface GraphqlAnswer<T> {
  data: T;
  errors?: { message: string }[];
}

async function post<T>(api: string, path: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(api + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Refused(path, answer.status, await answer.text());
  return (await answer.json()) as T;
}
