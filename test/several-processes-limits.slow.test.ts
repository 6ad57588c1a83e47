import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraphql, type Loose } from './harness/graphql.js';
import { makeOperator, OPERATOR_MUTATIONS } from './harness/operators.js';
import { createApplication, type MadeApplication, type Person, signUp } from './harness/people.js';
import { missingForSeveralProcesses } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { needing } from './harness/skipping.js';
import { startTwoProcesses, type TwoProcesses } from './harness/two-processes.js';

const missing = await missingForSeveralProcesses();

const CREATE = 'mutation { createGuild(input: { name: "More" }) { guild { id } } }';

describe.skipIf(missing)(needing(missing, 'limits of several processes'), () => {
  let two: TwoProcesses;
  let olga: Person;
  let ada: Person;
  let bot: MadeApplication;
  beforeAll(async () => {
    two = await startTwoProcesses({ env: { RATE_LIMITS: 'on' } });
    olga = await signUp(two.second, 'olga');
    await makeOperator(two.second, olga);
    ada = await signUp(two.second, 'ada');
    bot = await createApplication(ada);
  });
  afterAll(() => two?.stop());

  const set = (kind: string, value: number | null, subject?: string) =>
    olga.graphql(OPERATOR_MUTATIONS.setLimit, { input: { kind, value, subject, reason: 'spam' } });

  it('apply in the other process within a second', async () => {
    const headers = { authorization: `Bot ${bot.botToken}` };
    const total = async () =>
      (await ask(two.first, 'GET', '/gateway/bot', { headers })).body.session_start_limit.total as number;
    for (const value of [7, 8, null]) {
      await set('IDENTIFIES', value, bot.id);
      await expect.poll(total, { timeout: 1_000, interval: 50 }).toBe(value ?? 1_000);
    }
  });

  it('show operators who was refused in the other process, with the sum of both', async () => {
    await set('GUILDS', 0, ada.id);
    const authorization = `Bearer ${ada.token}`;
    const createInFirst = () => askGraphql(two.first, CREATE, {}, { authorization });
    await expect.poll(async () => (await createInFirst()).errors.length, { timeout: 1_000 }).toBe(1);
    expect((await createInFirst()).errors).toHaveLength(1);
    expect((await ada.ask(CREATE)).errors).toHaveLength(1);
    const limited = async () => {
      const { instance } = await olga.graphql('{ instance { limited { kind subjectName refusals } } }');
      return instance.limited as Loose[];
    };
    await expect.poll(limited, { timeout: 3_000 }).toEqual([{ kind: 'GUILDS', subjectName: 'ada', refusals: 3 }]);
  });
});
