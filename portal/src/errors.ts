import type { OperationResult } from 'urql';

type Path = readonly (string | number)[];

/**
 * Moves each error's path up to the null that it caused, where the cache looks for an error.
 * A failed non-null field makes its parent null (GraphQL, 6.4.4 Handling Execution Errors). The cache would store that
 * null as data.
 */
export function moveErrorsToNull({ data, error }: OperationResult): void {
  for (const one of error?.graphQLErrors ?? []) Object.assign(one, { path: upToNull(data, one.path ?? []) });
}

function upToNull(data: unknown, path: Path): Path {
  let value = data;
  const last = path.findIndex((key) => {
    value = (value as Record<string | number, unknown> | null | undefined)?.[key];
    return value === null;
  });
  return last === -1 ? path : path.slice(0, last + 1);
}
