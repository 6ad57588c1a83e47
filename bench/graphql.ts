/** Runs an operation. Throws if the response has errors. */
export type Ask = <Data>(query: string, variables: object) => Promise<Data>;

export function graphql(origin: string, token: string): Ask {
  return async <Data>(query: string, variables: object) => {
    const answer = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await answer.json()) as { data: Data | null; errors?: unknown };
    if (errors || data === null) throw new Error(`GraphQL answered ${JSON.stringify(errors)}`);
    return data;
  };
}
