import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AUTHORITY, EXPIRED, NOT_YET_VALID, OF_ANOTHER_NAME, SELF_SIGNED, SIGNED } from '../harness/certificates.js';
import { throwAwayDatabase } from '../harness/databases.js';
import { type EndpointOptions, startEndpoint, type TestEndpoint } from '../harness/endpoint.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { type RunningInstance, startInstance } from '../harness/process.js';
import { ask } from '../harness/rest.js';
import { askUpdate, update } from '../harness/settings.js';

let folder: string;
let database: Awaited<ReturnType<typeof throwAwayDatabase>>;
let instance: RunningInstance;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let commandId: string;
const endpoints: TestEndpoint[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-tls-'));
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, AUTHORITY);
  database = await throwAwayDatabase();
  instance = await startInstance({
    DATA_DIR: folder,
    ...(database ? { DATABASE_URL: database.url } : {}),
    NODE_EXTRA_CA_CERTS: authority,
  });
  ada = await signUp(instance, 'ada');
  guild = await createGuild(ada);
});
beforeEach(async () => {
  application = await createApplication(ada);
  await install(ada, application, guild);
  const { body } = await ask(instance, 'POST', `/applications/${application.id}/commands`, {
    headers: { authorization: `Bot ${application.botToken}` },
    json: { name: 'try', description: 'Tries' },
  });
  commandId = body.id;
});
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
});
afterAll(async () => {
  await instance?.end('SIGTERM');
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function listen(options: EndpointOptions): Promise<TestEndpoint> {
  const { publicKey } = application;
  const endpoint = await startEndpoint({ publicKey, answer: () => ({ type: 4, data: { content: 'hi' } }), ...options });
  endpoints.push(endpoint);
  return endpoint;
}

async function invoke(): Promise<Loose> {
  const { invokeCommand } = await ada.graphql(
    `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction {
      id state message { content } trace { kind reason }
    } } }`,
    { input: { channelId: guild.textChannelId, commandId } },
  );
  return invokeCommand.interaction;
}

it('I-8, I-13: an endpoint over TLS is probed, saved and called, all over one connection', async () => {
  const endpoint = await listen({ tls: SIGNED });
  const saved = await update(ada, application.id, { interactionsEndpointUrl: endpoint.url });
  expect(saved.interactionsEndpointUrl).toBe(endpoint.url);
  for (let run = 0; run < 3; run += 1) {
    expect(await invoke()).toMatchObject({ state: 'ANSWERED', message: { content: 'hi' }, trace: [{ kind: 'HTTP' }] });
  }
  expect(endpoint.requests.map(({ isSigned }) => isSigned)).toEqual([true, false, true, true, true]);
  expect(endpoint.requests.map(({ interaction }) => interaction.type)).toEqual([1, 1, 2, 2, 2]);
  expect(endpoint.connections()).toBe(1);
});

it.each([
  ['has expired', EXPIRED, 'The certificate has expired.'],
  ['is not valid yet', NOT_YET_VALID, 'The certificate is not valid yet.'],
  ['is for another name', OF_ANOTHER_NAME, 'The certificate is for another host name.'],
  ['is self-signed', SELF_SIGNED, 'The certificate is self-signed.'],
])('I-13: an endpoint whose certificate %s is not saved and gets no request', async (_what, tls, words) => {
  const endpoint = await listen({ tls });
  const { errors } = await askUpdate(ada, application.id, { interactionsEndpointUrl: endpoint.url });
  expect(errors[0]?.message).toContain(`Failed check: TLS. ${words}`);
  const query = 'query ($id: ID!) { application(id: $id) { interactionsEndpointUrl } }';
  const { application: after } = await ada.graphql(query, { id: application.id });
  expect(after.interactionsEndpointUrl).toBeNull();
  expect(endpoint.requests).toEqual([]);
});

it('I-11: an endpoint whose certificate has expired gets no more requests, and the trace says why', async () => {
  const endpoint = await listen({ tls: SIGNED });
  await update(ada, application.id, { interactionsEndpointUrl: endpoint.url });
  await endpoint.close();
  endpoints.splice(0);
  const expired = await listen({ tls: EXPIRED, port: endpoint.port });
  const { state, trace } = await invoke();
  expect(state).toBe('FAILED');
  expect(trace[0]).toEqual({ kind: 'HTTP', reason: 'The certificate has expired.' });
  expect(expired.requests).toEqual([]);
});
