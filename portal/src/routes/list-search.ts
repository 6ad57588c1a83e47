/** Filter of a list of the instance. */
export interface ListSearch {
  /** Part of a name, or an id. */
  search?: string | undefined;
  only?: 'suspended' | 'active' | undefined;
}

/** Invalid values must be undefined explicitly, or the router keeps them. */
export function listSearch({ search, only }: Record<string, unknown>): ListSearch {
  return {
    // A number has already lost digits of the id.
    search: typeof search === 'string' && search !== '' ? search : undefined,
    only: only === 'suspended' || only === 'active' ? only : undefined,
  };
}
