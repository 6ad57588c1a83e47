import type { Client } from 'graphql-ws';
import { afterEach, beforeEach, expect } from 'vitest';
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
  uninstall,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { socketClient, subscribe } from '../harness/sockets.js';

const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HELLO = { name: 'hello', description: 'Says hello.' };
const BYE = { name: 'bye', description: 'Says good-bye.' };

let server: TestServer;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
let application: MadeApplication;
let client: Client;
let commandId: string;
let emojiId: string;
let webhookId: string;
let bobsInstallationId: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  guild = await createGuild(ada);
});
beforeEach(async () => {
  application = await createApplication(ada);
  await update(ada, application.id, { userInstall: true });
  await install(ada, application, guild);
  bobsInstallationId = (await installToSelf(bob)).installation.id;
  commandId = (await asBot('POST', '/commands', HELLO)).id;
  emojiId = (await asBot('POST', '/emojis', { name: 'otter', image: IMAGE })).id;
  webhookId = (await mutate('createWebhook', 'CreateWebhookInput', webhook(), 'webhook { id }')).webhook.id;
  client = socketClient(server, { token: ada.token });
});
afterEach(async () => client.dispose());

const webhook = () => ({ channelId: guild.textChannelId, name: 'News' });

async function mutate(mutation: string, type: string, input: object, shown: string, person = ada): Promise<Loose> {
  const query = `mutation ($input: ${type}!) { done: ${mutation}(input: $input) { ${shown} } }`;
  return (await person.graphql(query, { input: { applicationId: application.id, ...input } })).done;
}

async function asBot(method: string, path: string, json?: unknown): Promise<Loose> {
  const headers = { authorization: `Bot ${application.botToken}` };
  const answer = await ask(server, method, `/applications/${application.id}${path}`, { json, headers });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

const renameWebhook = () =>
  ada.graphql(`mutation { updateWebhook(input: { webhookId: "${webhookId}", name: "Olds" }) { webhook { id } } }`);
const removeWebhook = () => ada.graphql(`mutation { deleteWebhook(input: { webhookId: "${webhookId}" }) { id } }`);
const installToSelf = (person: Person) =>
  mutate(
    'installApplication',
    'InstallApplicationInput',
    { scopes: ['applications.commands'] },
    'installation { id }',
    person,
  );
const grant = (permissions: string) => install(ada, application, guild, { permissions });

it.each<[string, () => Promise<unknown>]>([
  ['makes a command', () => mutate('createCommand', 'CreateCommandInput', { command: BYE }, 'command { id }')],
  [
    'changes a command',
    () => mutate('updateCommand', 'UpdateCommandInput', { commandId, command: BYE }, 'command { id }'),
  ],
  ['deletes a command', () => mutate('deleteCommand', 'CommandIdInput', { commandId }, 'id')],
  [
    'overwrites all commands',
    () => mutate('overwriteCommands', 'OverwriteCommandsInput', { commands: [BYE] }, 'applied'),
  ],
  ['has a bot that makes a command', () => asBot('POST', '/commands', BYE)],
  ['has a bot that changes a command', () => asBot('PATCH', `/commands/${commandId}`, BYE)],
  ['has a bot that deletes a command', () => asBot('DELETE', `/commands/${commandId}`)],
  ['has a bot that overwrites all commands', () => asBot('PUT', '/commands', [BYE])],
  ['has a bot that overwrites those of a server', () => asBot('PUT', `/guilds/${guild.id}/commands`, [BYE])],
  ['makes a webhook', () => mutate('createWebhook', 'CreateWebhookInput', webhook(), 'url')],
  ['renames a webhook', renameWebhook],
  ['deletes a webhook', removeWebhook],
  ['invites a tester', () => mutate('inviteTester', 'InviteTesterInput', { userId: bob.id }, 'tester { state }')],
  ['has a bot that makes an emoji', () => asBot('POST', '/emojis', { name: 'badger', image: IMAGE })],
  ['has a bot that renames an emoji', () => asBot('PATCH', `/emojis/${emojiId}`, { name: 'badger' })],
  ['has a bot that removes an emoji', () => asBot('DELETE', `/emojis/${emojiId}`)],
  [
    'renames an emoji',
    () => mutate('updateApplicationEmoji', 'UpdateApplicationEmojiInput', { emojiId, name: 'badger' }, 'emoji { id }'),
  ],
  ['removes an emoji', () => mutate('deleteApplicationEmoji', 'ApplicationEmojiIdInput', { emojiId }, 'id')],
  ['is installed to another server', async () => install(ada, application, await createGuild(ada))],
  ['is granted something else by a server', () => grant('8')],
  ['is installed to a person', () => installToSelf(ada)],
  ['is uninstalled by a person', () => uninstall(bob, bobsInstallationId)],
])('applicationChanged sends one update when the application %s', async (_what, operate) => {
  const query = `subscription { applicationChanged(applicationId: "${application.id}") { name serverCount } }`;
  const changes = await subscribe(client, query);
  await operate();
  expect((await changes.next()).data.applicationChanged.name).toBe(application.name);
  await update(ada, application.id, { name: 'Last' });
  expect((await changes.next()).data.applicationChanged.name).toBe('Last');
});
