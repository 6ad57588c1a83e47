import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql } from './harness/graphql.js';
import { makeOperator, OPERATOR_MUTATIONS } from './harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  makeWebhook,
  type Person,
  signUp,
} from './harness/people.js';
import { missingForSeveralProcesses } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { needing } from './harness/skipping.js';
import { startTwoProcesses, type TwoProcesses } from './harness/two-processes.js';

const missing = await missingForSeveralProcesses();

/** How long anything may get through in any process after the answer to a suspension. */
const WITHIN_MS = 1_000;

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }';

describe.skipIf(missing)(needing(missing, 'a suspension in another process'), () => {
  let two: TwoProcesses;
  let olga: Person;
  let ada: Person;
  let bot: MadeApplication;
  let guild: MadeGuild;
  beforeAll(async () => {
    two = await startTwoProcesses();
    olga = await signUp(two.second, 'olga');
    await makeOperator(two.second, olga);
    ada = await signUp(two.second, 'ada');
    bot = await createApplication(ada);
    guild = await createGuild(ada);
    await install(ada, bot, guild);
  });
  afterAll(() => two?.stop());

  /** Repeats attempts at the first process until one is refused. @returns when the last one succeeded */
  async function lastSuccess(attempt: () => Promise<boolean>): Promise<number> {
    let last = 0;
    while (await attempt()) {
      last = performance.now();
      await setTimeout(5);
    }
    return last;
  }

  const inFirst = (person: Person, query: string, variables: object) =>
    askGraphql(two.first, query, variables, { authorization: `Bearer ${person.token}` });

  it('stops a person who sends and looks, within a second', async () => {
    const input = { channelId: guild.textChannelId, content: 'spam' };
    const attempts = [
      async () => (await inFirst(ada, SEND, { input })).errors.length === 0,
      async () => (await inFirst(ada, '{ applications { id } }', {})).errors.length === 0,
    ];
    for (const attempt of attempts) expect(await attempt()).toBe(true);
    const successes = attempts.map(lastSuccess);
    await setTimeout(100);
    await olga.graphql(OPERATOR_MUTATIONS.suspendPerson, { input: { personId: ada.id, reason: 'spam' } });
    const answeredAt = performance.now();
    for (const last of await Promise.all(successes)) expect(last - answeredAt).toBeLessThan(WITHIN_MS);
    await olga.graphql(OPERATOR_MUTATIONS.restorePerson, { input: { personId: ada.id, reason: 'sorry' } });
  });

  it('stops an application that asks, is connected and executes its webhook, within a second', async () => {
    const webhook = await makeWebhook(two.second, ada, bot, guild.textChannelId);
    const client = await GatewayClient.open(two.first.origin);
    await client.ready(bot.botToken);
    const headers = { authorization: `Bot ${bot.botToken}` };
    const attempts = [
      async () => (await ask(two.first, 'GET', '/users/@me', { headers })).status === 200,
      async () =>
        (await ask(two.first, 'POST', `/webhooks/${webhook.id}/${webhook.token}?wait=true`, { json: { content: 'x' } }))
          .status === 200,
    ];
    for (const attempt of attempts) expect(await attempt()).toBe(true);
    const successes = attempts.map(lastSuccess);
    const closed = client.closed.then(({ code }) => ({ code, at: performance.now() }));
    await setTimeout(100);
    await olga.graphql(OPERATOR_MUTATIONS.suspendApplication, { input: { applicationId: bot.id, reason: 'spam' } });
    const answeredAt = performance.now();
    for (const last of await Promise.all(successes)) expect(last - answeredAt).toBeLessThan(WITHIN_MS);
    const { code, at } = await closed;
    expect([code, at - answeredAt < WITHIN_MS]).toEqual([4004, true]);
  });
});
