import type { OperationResult } from 'urql';

type Path = readonly (string | number)[];

/**
 * What failed and must not be null leaves null in what is around it (GraphQL, 6.4.4 Handling Execution Errors). The error is moved
 * there, where the cache looks for one: otherwise it would keep that there is nothing, and every page that shows it would say so.
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
