import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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
import { startServer, type TestServer } from '../harness/server.js';
import { type Subscription, socketClient, subscribe as subscribeOn } from '../harness/sockets.js';
import { type ChannelEvents, subscribe } from '../harness/subscriptions.js';
import { type RunningProgram, startProgram } from './programs.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let example: RunningProgram;
let events: ChannelEvents;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});
afterEach(async () => {
  await example?.stop();
  await events?.close();
});
afterAll(() => server.stop());

async function start(name: string, ready: string, scopes: string[], env: Record<string, string> = {}): Promise<void> {
  application = await createApplication(ada, name);
  await install(ada, application, guild, { scopes });
  events = await subscribe(server, ada, guild.textChannelId);
  example = await startProgram({
    program: process.execPath,
    script: `../../examples/${name}/index.js`,
    ready,
    env: { API_URL: `${server.origin}/api`, BOT_TOKEN: application.botToken, ...env },
  });
}

async function sees(type: string): Promise<Loose> {
  const { data } = await example.unlessItEnds(events.next((event) => event.type === type));
  return data;
}

async function commandId(name: string): Promise<string> {
  const { application: one } = await ada.graphql(`query ($id: ID!) { application(id: $id) { commands { id name } } }`, {
    id: application.id,
  });
  return one.commands.find((command: Loose) => command.name === name).id;
}

async function ask(mutation: string, type: string, input: object): Promise<Loose> {
  const { sent } = await ada.graphql(
    `mutation ($input: ${type}!) { sent: ${mutation}(input: $input) { interaction { id state } } }`,
    { input },
  );
  return sent.interaction;
}

const invoke = async (name: string, options: object[] = []) =>
  ask('invokeCommand', 'InvokeCommandInput', {
    channelId: guild.textChannelId,
    commandId: await commandId(name),
    options,
  });

const press = (messageId: string, customId: string) =>
  ask('useComponent', 'UseComponentInput', { channelId: guild.textChannelId, messageId, customId });

it('the slash bot offers choices, responds, counts participants and asks for a wish', async () => {
  await start('slash-bot', 'online', ['bot', 'applications.commands']);
  const socket = socketClient(server, { token: ada.token });
  const updates = await subscribeOn(
    socket,
    `subscription ($id: ID!) { interactionUpdated(applicationId: $id) { id modal } }`,
    { id: application.id },
  );
  const typed = { name: 'dish', value: 'sou', focused: true };
  const { autocompleteCommand } = await ada.graphql(
    `mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }`,
    { input: { channelId: guild.textChannelId, commandId: await commandId('lunch'), options: [typed] } },
  );
  expect(autocompleteCommand.choices.map(({ value }: Loose) => value)).toEqual(['Bean soup', 'Potato soup']);

  await invoke('lunch', [{ name: 'dish', value: 'Bean soup' }]);
  const { id, content } = await sees('MESSAGE_CREATE');
  expect(content).toBe('Bean soup: ada');
  await press(id, 'join');
  expect((await sees('MESSAGE_UPDATE')).content).toBe('Bean soup: ada, ada');

  const asked = await press(id, 'wish');
  await shown(updates, asked.id);
  const components = [{ type: 1, components: [{ type: 4, custom_id: 'text', value: 'less salt' }] }];
  await ask('submitModal', 'SubmitModalInput', { interactionId: asked.id, components });
  expect(await sees('MESSAGE_CREATE')).toMatchObject({
    content: 'Sent to the kitchen: less salt',
    flags: MessageFlags.Ephemeral,
  });
  await socket.dispose();
});

async function shown(updates: Subscription<Loose>, interactionId: string): Promise<void> {
  for (;;) {
    const { data } = await example.unlessItEnds(updates.next());
    if (data.interactionUpdated.id === interactionId && data.interactionUpdated.modal) return;
  }
}

it('the HTTP endpoint is saved, and responds at once, later, and with a request of its own', async () => {
  await start('http-endpoint', 'Receiving interactions at', ['applications.commands'], { PORT: '0' });
  const url = /http:\S+/.exec(example.ready)?.[0];
  const { updateApplication } = await ada.graphql(
    `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { interactionsEndpointUrl } } }`,
    { input: { applicationId: application.id, interactionsEndpointUrl: url } },
  );
  expect(updateApplication.application.interactionsEndpointUrl).toBe(url);

  expect(await invoke('hello')).toMatchObject({ state: 'ANSWERED' });
  const { id, content } = await sees('MESSAGE_CREATE');
  expect(content).toBe('Hello, ada!');
  await press(id, 'count');
  expect(await sees('MESSAGE_UPDATE')).toMatchObject({ id, components: [{ components: [{ label: '1' }] }] });

  expect(await invoke('slow')).toMatchObject({ state: 'DEFERRED' });
  expect(await sees('MESSAGE_CREATE')).toMatchObject({ content: '', flags: MessageFlags.Loading });
  expect(await sees('MESSAGE_UPDATE')).toMatchObject({ content: 'That took a while.', flags: 0 });
  expect(await sees('MESSAGE_CREATE')).toMatchObject({ content: 'This is a follow-up message.' });

  await invoke('later');
  expect(await sees('MESSAGE_CREATE')).toMatchObject({ content: 'Better late than never.' });
});
