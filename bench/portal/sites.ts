import { type Ask, graphql } from '../graphql.js';
import { type MeasuredServer, startBarePage, startPlatform } from '../processes.js';
import { throwAwayFolder } from '../scratch.js';
import { signUp } from '../world.js';

const APPLICATIONS = 30;
const TEAMS = 3;
const GUILDS = 3;

/** A server with a page that lists applications, named `Application 0` and so on. */
export interface Site {
  server: MeasuredServer;
  path: string;
  /** The session cookie, such as `name=value`; null without one. */
  cookie: string | null;
  /** The request that renames the last application. */
  renaming(name: string): { path: string; body: object };
}

export async function startPortal(): Promise<Site> {
  const server = await startPlatform(null, { DATA_DIR: await throwAwayFolder() });
  const { token, cookie } = await signUp(server.origin);
  const ask = graphql(server.origin, token);
  const ids = await makeEach(ask, 'Application', APPLICATIONS);
  await makeEach(ask, 'Team', TEAMS);
  await makeEach(ask, 'Guild', GUILDS);
  return {
    server,
    path: '/portal',
    cookie,
    renaming: (name) => ({
      path: '/graphql',
      body: {
        query: 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }',
        variables: { input: { applicationId: ids.at(-1), name } },
      },
    }),
  };
}

/**
 * Makes several objects, named `Application 0` and so on.
 * @returns their ids
 */
async function makeEach(ask: Ask, noun: 'Application' | 'Team' | 'Guild', count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${noun} ${index}`;
    const fields = `{ it: ${noun.toLowerCase()} { id } }`;
    const query = `mutation ($name: String!) { made: create${noun}(input: { name: $name }) ${fields} }`;
    ids.push((await ask<{ made: { it: { id: string } } }>(query, { name })).made.it.id);
  }
  return ids;
}

export async function startBare(): Promise<Site> {
  return {
    server: await startBarePage(),
    path: '/',
    cookie: null,
    renaming: (name) => ({ path: '/', body: { id: String(APPLICATIONS - 1), name } }),
  };
}
