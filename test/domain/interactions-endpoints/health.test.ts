import { beforeEach, expect } from 'vitest';
import { snowflakeAt } from '../../../src/infra/ids/ids.js';
import { it } from '../../harness/fixtures.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';

let server: TestServer;
let owner: Person;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

const HEALTH = `query ($id: ID!) { application(id: $id) {
  endpointHealth { answered fellBack failed p50Ms p95Ms lastFailure lastFailureAt }
} }`;
const health = async () => (await owner.graphql(HEALTH, { id: application.id })).application.endpointHealth;

interface Delivered {
  httpMs?: number | null;
  fellBack?: boolean;
  state?: 'ANSWERED' | 'FAILED' | 'EXPIRED';
  failure?: string;
  steps?: { kind: string; reason: string | null }[];
}

const BEGIN = Date.UTC(2026, 0, 1);
let stored = 0;

async function store(...deliveries: Delivered[]): Promise<string> {
  let at = BEGIN;
  for (const { httpMs = 10, steps = [], ...delivered } of deliveries) {
    stored += 1;
    at = BEGIN + stored * 1_000;
    const id = snowflakeAt(at) + BigInt(stored);
    await server.app.db.writer.interaction.create({
      data: {
        id,
        applicationId: BigInt(application.id),
        type: 2,
        tokenHash: String(id),
        userId: BigInt(owner.id),
        channelId: 1n,
        name: 'hello',
        data: {},
        owners: {},
        state: 'ANSWERED',
        httpMs,
        ...delivered,
        steps: { create: steps.map((step, index) => ({ ...step, id: id + BigInt(index) })) },
      },
    });
  }
  return new Date(at).toISOString();
}

it('an endpoint without requests has no figures', async () => {
  await store({ httpMs: null });
  const none = { p50Ms: null, p95Ms: null, lastFailure: null, lastFailureAt: null };
  expect(await health()).toEqual({ answered: 0, fellBack: 0, failed: 0, ...none });
});

it('the last hundred interactions count, each in one of three figures', async () => {
  await store({ fellBack: true }, { state: 'FAILED', failure: 'long ago' });
  const ninety = Array.from({ length: 90 }, (_, index) => ({ httpMs: index + 1 }));
  await store(...ninety, { httpMs: null }, { httpMs: 3_000, fellBack: true, failure: 'no answer within 3 s' });
  const at = await store({ httpMs: 5_000, state: 'FAILED', failure: 'the body is no answer' });
  await store(...Array.from({ length: 7 }, () => ({ httpMs: 100 })));
  expect(await health()).toEqual({
    answered: 97,
    fellBack: 1,
    failed: 1,
    p50Ms: 49,
    p95Ms: 100,
    lastFailure: 'the body is no answer',
    lastFailureAt: at,
  });
});

it('the failure of a fallback is that of the first failed step, regardless of the final outcome', async () => {
  const at = await store({
    fellBack: true,
    state: 'FAILED',
    failure: 'Nobody took it.',
    steps: [
      { kind: 'created', reason: null },
      { kind: 'http', reason: 'The host refused the connection.' },
      { kind: 'gateway', reason: 'later' },
    ],
  });
  const other = { answered: 0, failed: 0, p50Ms: null, p95Ms: null };
  expect(await health()).toEqual({
    ...other,
    fellBack: 1,
    lastFailure: 'The host refused the connection.',
    lastFailureAt: at,
  });
});

it('a user without a role gets the figures of an endpoint without requests', async () => {
  await store({ fellBack: true, failure: 'secret' });
  const tester = await signUp(server, 'tester');
  await owner.graphql(`mutation ($input: InviteTesterInput!) { inviteTester(input: $input) { tester { state } } }`, {
    input: { applicationId: application.id, userId: tester.id },
  });
  const { portalHome } = await tester.graphql(
    '{ portalHome { testerInvitations { application { endpointHealth { fellBack lastFailure } } } } }',
  );
  expect(portalHome.testerInvitations).toEqual([
    { application: { endpointHealth: { fellBack: 0, lastFailure: null } } },
  ]);
});
