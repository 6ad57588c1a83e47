import { Failure } from '../failure.js';
import { type AdminOptions, askInstance } from './connection.js';
import { type Connection, clean, PAGE_INFO } from './output.js';

interface Kind<Row> {
  one: string;
  /** Field of `Instance`. Its search also finds IDs. */
  list: string;
  fields: string;
  namesOf(row: Row): string[];
}

export interface Named {
  id: string;
  name: string;
}

const byName = (one: string, list: string): Kind<Named> => ({
  one,
  list,
  fields: 'id name',
  namesOf: ({ name }) => [name],
});

const PEOPLE: Kind<PersonRow> = {
  one: 'person',
  list: 'people',
  fields: 'id email user { username }',
  namesOf: ({ email, user }) => [user.username, email],
};

interface PersonRow {
  id: string;
  email: string;
  user: { username: string };
}

/** @param given an id, a username or an email address @throws {Failure} */
export async function findPerson(options: AdminOptions, given: string): Promise<Named> {
  const { id, user } = await find(options, PEOPLE, given);
  return { id, name: clean(user.username) };
}

/** @param given an id, or a name that only one has @throws {Failure} */
export const findServer = (options: AdminOptions, given: string): Promise<Named> =>
  find(options, byName('server', 'servers'), given);

/** @param given an id, or a name that only one has @throws {Failure} */
export const findApplication = (options: AdminOptions, given: string): Promise<Named> =>
  find(options, byName('application', 'applications'), given);

/** @param given an id, or a name that only one has @throws {Failure} */
export const findBox = (options: AdminOptions, given: string): Promise<Named> =>
  find(options, byName('box', 'boxes'), given);

/** Characters that a search accepts. */
const MAX_SEARCH = 100;

/** An id comes before a name that looks like it. */
async function find<Row extends { id: string }>(
  options: AdminOptions,
  { one, list, fields, namesOf }: Kind<Row>,
  given: string,
): Promise<Row> {
  const query = `query ($search: String, $after: String) { instance {
    ${list}(search: $search, first: 100, after: $after) { edges { node { ${fields} } } ${PAGE_INFO} }
  } }`;
  const named: Row[] = [];
  let after: string | null = null;
  do {
    const variables: object = { search: given.slice(0, MAX_SEARCH), after };
    const { instance } = await askInstance<{ instance: Record<string, Connection<Row>> }>(options, query, variables);
    const page = instance[list];
    const rows = page?.edges.map(({ node }) => node) ?? [];
    const own = rows.find(({ id }) => id === given);
    if (own) return own;
    named.push(...rows.filter((row) => namesOf(row).some((name) => name.toLowerCase() === given.toLowerCase())));
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  const [found, ...others] = named;
  if (!found) throw new Failure(`there is no ${one} ${given}; \`causeway admin ${list} list\` shows all`);
  if (others.length === 0) return found;
  const lines = named.map((row) => `  ${row.id}  ${namesOf(row).map(clean).join('  ')}`);
  throw new Failure(`${named.length} ${list} are called ${given}; pass an ID:\n${lines.join('\n')}`);
}
