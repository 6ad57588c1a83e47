import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askOne, type Operation, openTwins, type Twin, type Twins } from '../../harness/twins.js';
import { webhookOperations } from './operations/webhooks.js';
import { titleOf } from './same.js';

const CREATE = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';

describe('SELF_HOSTED_WEBHOOKS=not_found', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins({ cloud: { env: { SELF_HOSTED_WEBHOOKS: 'not_found' } } });
  }, 120_000);
  afterAll(() => twins.stop());

  const create = async ({ names }: Twin) => {
    const { all, bots } = twins;
    const input = { applicationId: String(bots.bot.id), channelId: names.get('text'), name: 'Hook' };
    const { errors } = await all.owner.ask(CREATE, { input });
    return errors.map(({ extensions }) => extensions.code);
  };

  it('makes no webhook on a box over GraphQL', async () => {
    expect(await create(twins.box)).toEqual(['FORBIDDEN']);
    expect(await twins.all.cloud.app.db.reader.webhook.count()).toBe(0);
  });

  const managing: readonly Operation[] = webhookOperations.filter(({ ask }) => /\{(text|guild)\}\/webhooks$/.test(ask));
  for (const { status: _status, code: _code, keep: _keep, ...operation } of managing) {
    it(`${titleOf(operation)} is 404 on a box`, async () => {
      const { status, body } = await askOne(twins, twins.box, operation);
      expect([status, body.code]).toEqual([404, 0]);
    });
  }

  it('changes nothing in the cloud', async () => {
    const { status } = await askOne(twins, twins.cloud, {
      ask: 'POST /channels/{text}/webhooks',
      json: { name: 'Hook' },
    });
    expect(status).toBe(200);
  });
});
