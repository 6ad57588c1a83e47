import { stringify } from 'yaml';
import { z } from 'zod';
import { signIn, startPage } from '../people/sessions.js';
import type { DisposalDescription, InstanceDescription } from '../protocol.js';
import { route, TextAnswer } from '../route.js';
import { describeWorld } from '../worlds/describe.js';
import { exportSeed } from '../worlds/export/index.js';
import { PersonSeed, Seed } from '../worlds/seed.js';

export const worldRoutes = [
  route('GET /', {
    summary: 'Describes the instance and lists its worlds.',
    run: (sandbox): InstanceDescription => ({
      origin: sandbox.app.addresses.publicUrl,
      worlds: sandbox.worlds.map(({ id, seed }) => ({ id, name: seed.name ?? `World ${id}` })),
    }),
  }),
  route('POST /worlds', {
    summary: 'Creates a world from a seed, in JSON or YAML.',
    body: Seed,
    run: async (sandbox, { body }) => describeWorld(await sandbox.createWorld(body), sandbox.connections),
  }),
  route('GET /worlds/:world', {
    summary: 'Describes a world with the tokens of its bots.',
    run: (sandbox, { params }) => describeWorld(sandbox.world(params.world), sandbox.connections),
  }),
  route('GET /worlds/:world/seed', {
    summary: 'Writes the seed of a new world that is like this one now.',
    query: z.object({ format: z.enum(['json', 'yaml']).default('json') }),
    contentTypes: ['application/json', 'application/yaml'],
    async run(sandbox, { params, query: { format } }): Promise<object> {
      const seed = await exportSeed(sandbox.world(params.world));
      return format === 'json' ? seed : new TextAnswer('application/yaml', stringify(seed, { lineWidth: 0 }));
    },
  }),
  route('POST /worlds/:world/reset', {
    summary: 'Returns to the seed, with the same ids. Bots stay connected and their commands stay registered.',
    run: async (sandbox, { params }) => {
      await sandbox.world(params.world).reset(sandbox.connections);
      return undefined;
    },
  }),
  route('DELETE /worlds/:world', {
    summary: 'Removes the world, and ends the sessions of its bots.',
    run: async (sandbox, { params }) => {
      const { transcript } = await sandbox.disposeWorld(params.world ?? '');
      const answer: DisposalDescription = { warning: transcript.unknownRoutes.describe() };
      return answer;
    },
  }),
  route('POST /worlds/:world/people', {
    summary: 'Adds a person, who is in no server.',
    body: PersonSeed,
    run: async (sandbox, { params, body }) => {
      const { id, name } = await sandbox.addPerson(sandbox.world(params.world), body);
      return { id: String(id), name };
    },
  }),
  route('POST /worlds/:world/people/:person/sessions', {
    summary: 'Signs a person in. The session works at /graphql, in the REST API and in the portal.',
    run: async (sandbox, { params, setCookie }) => {
      const world = sandbox.world(params.world);
      const person = world.person(params.person ?? '');
      const session = await signIn(world.app, person);
      setCookie(`${session.cookie}; Path=/; HttpOnly; SameSite=Lax`);
      return { ...session, portal: await startPage(world, person) };
    },
  }),
];
