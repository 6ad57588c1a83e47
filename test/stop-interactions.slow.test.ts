import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putCommand } from './harness/command-rows.js';
import { type EndpointMode, startEndpoint, type TestEndpoint } from './harness/endpoint.js';
import { createApplication, createGuild, install, type MadeGuild, type Person, signUp } from './harness/people.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { migratedDatabase, migratedFolder, startServer } from './harness/server.js';

let database: Awaited<ReturnType<typeof migratedDatabase>>;
let dataDir: string;
let env: Record<string, string>;
let guild: MadeGuild;
let endpoint: TestEndpoint;
/** A command of an application with an endpoint, and one of an application without endpoint or sessions. */
let hosted: string;
let silent: string;
let ada: Person;
beforeAll(async () => {
  database = await migratedDatabase();
  dataDir = await migratedFolder();
  const shared: Record<string, string> = database ? { DATABASE_URL: database.url } : {};
  env = { ...shared, DATA_DIR: dataDir, ALLOW_PRIVATE_ENDPOINTS: 'on' };
  endpoint = await startEndpoint();
  const server = await startServer({ env });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  const [withEndpoint, without] = [await createApplication(ada), await createApplication(ada)];
  const options = [{ type: 3, name: 'text', description: 'What', autocomplete: true }];
  for (const one of [withEndpoint, without]) await install(ada, one, guild);
  hosted = String((await putCommand(server.app, BigInt(withEndpoint.id), { options })).id);
  silent = String((await putCommand(server.app, BigInt(without.id), { options })).id);
  const where = { id: BigInt(withEndpoint.id) };
  await server.app.db.writer.application.update({ where, data: { interactionsEndpointUrl: endpoint.url } });
  await server.stop();
});
afterAll(async () => {
  await endpoint.close();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function ask({ origin }: RunningInstance, field: string, commandId: string): Promise<unknown> {
  const options = field === 'invokeCommand' ? [] : [{ name: 'text', type: 3, value: 'a', focused: true }];
  return fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
    body: JSON.stringify({
      query: `mutation ($input: InvokeCommandInput!) { ${field}(input: $input) { interaction { state } } }`,
      variables: { input: { channelId: guild.textChannelId, commandId, options } },
    }),
  }).then(
    (answer) => answer.json(),
    () => null,
  );
}

/** Longer than the time limits of an endpoint and of the gateway together, in milliseconds. */
const IN_TIME_MS = 9_000;

describe('a server that is stopped', () => {
  it.each([
    ['invokeCommand', 'hang'],
    ['autocompleteCommand', 'hang'],
    ['autocompleteCommand', 'noContent'],
  ] as [string, EndpointMode][])('ends in time during %s with an endpoint that is %s', async (field, mode) => {
    endpoint.mode(mode);
    const instance = await startInstance(env);
    const before = endpoint.requests.length;
    const asked = Array.from({ length: 5 }, () => ask(instance, field, hosted));
    await endpoint.reached(before + 5);
    const begun = performance.now();
    expect(await instance.end('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(IN_TIME_MS);
    await Promise.all(asked);
  });

  it('ends in time with autocompletions that no session takes', async () => {
    const instance = await startInstance(env);
    const first = ask(instance, 'autocompleteCommand', silent);
    // It is on its way once another request was answered.
    await fetch(`${instance.origin}/healthz`);
    const begun = performance.now();
    expect(await instance.end('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(IN_TIME_MS);
    await first;
  });

  it('does not wait for the time limits of delivered interactions', async () => {
    endpoint.mode('noContent');
    const instance = await startInstance(env);
    expect(await ask(instance, 'invokeCommand', hosted)).toEqual({
      data: { invokeCommand: { interaction: { state: 'DELIVERED_HTTP' } } },
    });
    const begun = performance.now();
    expect(await instance.end('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(2_500);
  });
});
