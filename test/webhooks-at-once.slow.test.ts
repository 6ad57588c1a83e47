import { expect } from 'vitest';
import { test } from './harness/fixtures.js';
import type { GraphqlAnswer, Loose } from './harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from './harness/people.js';
import { ask } from './harness/rest.js';
import type { TestServer } from './harness/server.js';

/** An application has at most 50 webhooks, also after concurrent requests (service description, section 3). */

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});

const TRIES = Array.from({ length: 60 }, (_, n) => `hook ${n}`);
const REFUSAL = 'Maximum number of webhooks reached (50)';

/** The outcome of an attempt: the id and token of the new webhook, or the refusal. */
type Ended = { id: string; token: string } | { refused: unknown };

const CREATE = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { token webhook { id } } }';

async function byGraphql({ id: applicationId }: MadeApplication, name: string): Promise<Ended> {
  const input = { applicationId, channelId: guild.textChannelId, name };
  const { data, errors }: GraphqlAnswer<Loose> = await ada.ask(CREATE, { input });
  if (errors.length > 0) return { refused: errors.map(({ message, extensions }) => [extensions.code, message]) };
  return { id: data.createWebhook.webhook.id, token: data.createWebhook.token };
}

async function byRest({ botToken }: MadeApplication, name: string): Promise<Ended> {
  const headers = { authorization: `Bot ${botToken}` };
  const { status, body } = await ask(server, 'POST', `/channels/${guild.textChannelId}/webhooks`, {
    json: { name },
    headers,
  });
  return status === 200 ? { id: body.id, token: body.token } : { refused: [status, body] };
}

test.each([
  { face: 'GraphQL', create: byGraphql, refused: [['LIMIT_EXCEEDED', REFUSAL]] },
  { face: 'REST', create: byRest, refused: [400, { code: 30007, message: REFUSAL }] },
])('of 60 webhooks made at once by $face there are 50, and 10 clear refusals', async ({ create, refused }) => {
  const application = await createApplication(ada);
  await install(ada, application, guild, { permissions: '32' });
  const ended = await Promise.all(TRIES.map((name) => create(application, name)));
  const made = ended.flatMap((end) => ('id' in end ? end : []));
  expect(ended.filter((end) => 'refused' in end)).toEqual(Array(10).fill({ refused }));
  expect(new Set(made.map(({ token }) => token)).size).toBe(50);
  const { reader } = server.app.db;
  const where = { applicationId: BigInt(application.id) };
  const rows = await reader.webhook.findMany({ where, orderBy: { id: 'asc' } });
  expect(rows.map(({ id }) => String(id))).toEqual(made.map(({ id }) => id).toSorted());
  const logged = await reader.auditEntry.findMany({ where: { ...where, action: 'APPLICATION_WEBHOOK_CREATE' } });
  expect(new Set(logged.map(({ targetId }) => String(targetId)))).toEqual(new Set(made.map(({ id }) => id)));
  expect(logged).toHaveLength(50);
});
