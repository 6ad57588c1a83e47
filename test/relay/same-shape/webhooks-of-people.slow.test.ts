import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../../harness/people.js';
import { openTwins, type Twins } from '../../harness/twins.js';

const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) { url webhook { id name channel { id } guild { id } } }
}`;
const UPDATE = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { channel { id } } } }';
const DELETE = 'mutation ($input: WebhookIdInput!) { deleteWebhook(input: $input) { id } }';

describe("webhooks of a box's servers in the portal", () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins();
  }, 120_000);
  afterAll(() => twins.stop());

  const newHook = () => ({
    applicationId: String(twins.bots.bot.id),
    channelId: twins.box.names.get('text'),
    name: 'Hook',
  });

  it("are made, moved and deleted by the box's owner, and post there", async () => {
    const { all, box } = twins;
    const [channelId, spare] = ['text', 'spare'].map((name) => box.names.get(name));
    const { webhook, url } = (await all.owner.graphql(CREATE, { input: newHook() })).createWebhook;
    const guild = { id: String(box.guild.id) };
    expect(webhook).toEqual({ id: webhook.id, name: 'Hook', channel: { id: channelId }, guild });
    const input = { webhookId: webhook.id, channelId: spare };
    expect((await all.owner.graphql(UPDATE, { input })).updateWebhook.webhook).toEqual({ channel: { id: spare } });
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ content: 'by hand' }) });
    expect(await posted.json()).toMatchObject({ content: 'by hand', channel_id: spare, webhook_id: webhook.id });
    await all.owner.graphql(DELETE, { input: { webhookId: webhook.id } });
    expect((await fetch(url)).status).toBe(404);
  });

  it('are not made by others, who get an unknown channel', async () => {
    const { all } = twins;
    const other = await signUp(all.cloud, 'other');
    const { errors } = await other.ask(CREATE, { input: newHook() });
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
  });
});
