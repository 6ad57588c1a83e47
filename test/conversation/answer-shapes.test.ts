import { afterAll, describe, expect } from 'vitest';
import { startEndpoint, type TestEndpoint } from '../harness/endpoint.js';
import { it } from '../harness/fixtures.js';
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
import { expectReference } from '../harness/reference.js';
import { ask, formOf, type RestAnswer } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let endpoint: TestEndpoint;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let commandId: string;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  application = await createApplication(ada);
  await install(ada, application, guild);
  endpoint = await startEndpoint({ publicKey: application.publicKey, answer: () => undefined });
  await ada.graphql(
    `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }`,
    { input: { applicationId: application.id, interactionsEndpointUrl: endpoint.url } },
  );
  const { body } = await ask(server, 'POST', `/applications/${application.id}/commands`, {
    headers: { authorization: `Bot ${application.botToken}` },
    json: { name: 'try', description: 'Tries' },
  });
  commandId = body.id;
});
afterAll(async () => {
  await endpoint.close();
});

async function deliver(mutation: string, type: string, input: object): Promise<Loose> {
  await ada.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { interaction { id } } }`, {
    input: { channelId: guild.textChannelId, ...input },
  });
  return endpoint.requests.at(-1)?.interaction;
}

const invoke = () => deliver('invokeCommand', 'InvokeCommandInput', { commandId });

const answer = ({ id, token }: Loose, json: object): Promise<RestAnswer> =>
  ask(server, 'POST', `/interactions/${id}/${token}/callback?with_response=true`, { json });

const answers = ({ application_id: applicationId, token }: Loose) => `/webhooks/${applicationId}/${token}`;

const button = { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go', emoji: { name: '🦦' } }] };
const container = {
  type: 17,
  components: [
    { type: 10, content: 'text' },
    { type: 14 },
    { type: 9, components: [{ type: 10, content: 'more' }], accessory: button.components[0] },
  ],
};

const MESSAGES = {
  text: {
    content: 'hello',
    embeds: [{ title: 'a title', description: 'a text', fields: [{ name: 'a', value: 'b' }] }],
  },
  'for one person': { content: 'psst', flags: 64 },
  'with a button': { content: 'press', components: [button] },
  'with selects': {
    content: 'choose',
    components: [
      { type: 3, custom_id: 'string', options: [{ label: 'A', value: 'a' }] },
      { type: 5, custom_id: 'user' },
      { type: 6, custom_id: 'role' },
      { type: 7, custom_id: 'mentionable' },
      { type: 8, custom_id: 'channel' },
    ].map((select) => ({ type: 1, components: [select] })),
  },
  'laid out': { components: [container], flags: 1 << 15 },
};

describe('responses have the documented shapes of the reference platform', () => {
  it.each(Object.entries(MESSAGES))('to a command: a message %s', async (_name, data) => {
    const interaction = await invoke();
    const first = await answer(interaction, { type: 4, data });
    expect(first.status).toBe(200);
    expectReference('InteractionCallbackResponse', first.body);
    const original = await ask(server, 'GET', `${answers(interaction)}/messages/@original`);
    expectReference('MessageResponse', original.body);
    expect(original.body).toEqual(first.body.resource.message);
    const further = await ask(server, 'POST', answers(interaction), { json: data });
    expect(further.status).toBe(200);
    expectReference('MessageResponse', further.body);
  });

  it('to a component: an update, and a follow-up with a file', async () => {
    const command = await invoke();
    const { body } = await answer(command, { type: 4, data: MESSAGES['with a button'] });
    const { id: messageId } = body.resource.message;
    const pressed = await deliver('useComponent', 'UseComponentInput', { messageId, customId: 'go' });
    expectReference('MessageResponse', pressed.message);
    const updated = await answer(pressed, { type: 7, data: { content: 'pressed' } });
    expectReference('InteractionCallbackResponse', updated.body);
    const form = formOf({ content: 'a file' }, { name: 'files[0]', content: 'text', filename: 'a.txt' });
    const further = await ask(server, 'POST', answers(pressed), { form });
    expectReference('MessageResponse', further.body);
    expect(further.body.attachments).toMatchObject([{ filename: 'a.txt' }]);
  });

  it('to a command: a modal', async () => {
    const label = { type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1 } };
    const { status, body } = await answer(await invoke(), {
      type: 9,
      data: { custom_id: 'form', title: 'Form', components: [label] },
    });
    expect(status).toBe(200);
    expectReference('InteractionCallbackResponse', body);
  });

  it('deferred and edited', async () => {
    const interaction = await invoke();
    const { body } = await answer(interaction, { type: 5 });
    expectReference('InteractionResponse', body.interaction);
    const edited = await ask(server, 'PATCH', `${answers(interaction)}/messages/@original`, {
      json: { content: 'done' },
    });
    expectReference('MessageResponse', edited.body);
  });

  it('refused', async () => {
    const interaction = await invoke();
    for (const json of [{ type: 4, data: {} }, { type: 7, data: { content: 'x' } }, { type: 1 }, {}]) {
      const { status, body } = await answer(interaction, json);
      expect(status).toBe(400);
      expectReference('Error', body);
    }
    expect((await answer(interaction, { type: 4, data: { content: 'better' } })).status).toBe(200);
    const again = await answer(interaction, { type: 4, data: { content: 'again' } });
    expect([again.status, again.body.code]).toEqual([400, 40060]);
    expectReference('Error', again.body);
  });
});
