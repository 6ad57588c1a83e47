import { once } from 'node:events';
import { Client, Events, GatewayIntentBits, InteractionContextType, Partials } from 'discord.js';
import { afterAll, expect } from 'vitest';
import { openDirectChannel } from '../../src/domain/channels/index.js';
import { findRunnableCommand, runnableCommandIds, whyRunnable } from '../../src/domain/command-permissions/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import {
  autocompleteCommand,
  InvokedOptions,
  invokeCommand,
  SubmittedComponents,
  submitModal,
  useComponent,
} from '../../src/domain/interactions/index.js';
import { sendMessage } from '../../src/domain/messages/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import type { User } from '../../src/infra/database/index.js';
import { putCommand } from '../harness/command-rows.js';
import { test } from '../harness/fixtures.js';
import { outcome } from '../harness/outcome.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { addMember, callOf, createBot, createBotInGuild, ONE_BUTTON, type TestBot, toSend } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let owner: User;
let channelId: bigint;
let client: Client<true>;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  const made = await createBotInGuild(server.app);
  ({ bot } = made);
  ({ owner } = made.guild);
  channelId = (await openDirectChannel(asOwner(), bot.id)).channel.id;
  client = new Client({
    intents: [GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    rest: { api: `${server.origin}/api` },
  });
  const ready = once(client, Events.ClientReady);
  await client.login(bot.token);
  await ready;
});
afterAll(async () => {
  await client.destroy();
});

const asOwner = () => callOf(server.app, owner);
const nextInteraction = async () => (await once(client, Events.InteractionCreate))[0];
const optionsOf = (...options: object[]) => parseInput(InvokedOptions, options, 'options');
const OPTION = { type: 3, name: 'word', description: 'A word', autocomplete: true };

test('a command, a button, a modal and completion work in the direct channel with the bot', async () => {
  const { id: commandId } = await putCommand(server.app, bot.id, { name: 'greet', contexts: [1], options: [OPTION] });
  expect(await runnableCommandIds(asOwner(), { channelId })).toEqual([commandId]);
  expect(await whyRunnable(asOwner(), { channelId, commandId })).toMatchObject({
    allowed: true,
    rule: 'direct-message',
  });

  const completed = nextInteraction();
  const given = { name: 'word', type: 3, value: 'he' };
  const options = optionsOf(given);
  const choices = autocompleteCommand(asOwner(), {
    channelId,
    commandId,
    options: optionsOf({ ...given, focused: true }),
  });
  await (await completed).respond([{ name: 'hello', value: 'hello' }]);
  await choices;

  const ran = nextInteraction();
  await invokeCommand(asOwner(), { channelId, commandId, options });
  const command = await ran;
  expect(command).toMatchObject({ guildId: null, member: null, context: InteractionContextType.BotDM });
  expect(command.user.id).toBe(String(owner.id));
  expect(command.channelId).toBe(String(channelId));
  expect(command.authorizingIntegrationOwners).toMatchObject({ guildId: '0', userId: null });
  const answered = await command.reply({ content: 'press', components: ONE_BUTTON, withResponse: true });
  const messageId = BigInt(answered.resource.message.id);

  const pressed = nextInteraction();
  const use = useComponent(asOwner(), { channelId, messageId, customId: 'press' });
  const button = await pressed;
  expect(button).toMatchObject({ guildId: null, customId: 'press', context: InteractionContextType.BotDM });
  const input = { type: 4, custom_id: 'name', style: 1, label: 'Name' };
  await button.showModal({ title: 'Who', custom_id: 'who', components: [{ type: 1, components: [input] }] });
  const { id: interactionId } = await use;

  const submitted = nextInteraction();
  const parts = [{ type: 1, components: [{ type: 4, custom_id: 'name', value: 'Ada' }] }];
  const submit = submitModal(asOwner(), {
    interactionId,
    components: parseInput(SubmittedComponents, parts, 'components'),
  });
  const modal = await submitted;
  expect(modal.fields.getTextInputValue('name')).toBe('Ada');
  await modal.reply('hello Ada');
  await submit;
  await modal.followUp({ content: 'only you', flags: 64 });
});

test("components of a bot's own message there work for a user who shares a server with it", async () => {
  const body = toSend({ content: 'press', components: ONE_BUTTON });
  const { id: messageId } = await sendMessage(callOf(server.app, bot.user), { channelId, body });
  const pressed = nextInteraction();
  const use = useComponent(asOwner(), { channelId, messageId, customId: 'press' });
  await (await pressed).update({ content: 'pressed', components: [] });
  await use;
});

test('commands that are not for direct messages with the bot are refused with a reason', async () => {
  const refusals: [object, string][] = [
    [{ contexts: [0] }, 'context'],
    [{ contexts: [2] }, 'context'],
    [{ integrationTypes: [1] }, 'integration-type'],
    [{ nsfw: true }, 'age-restricted'],
    [{ name: 'ban' }, 'reserved-name'],
  ];
  for (const [data, rule] of refusals) {
    const { id: commandId } = await putCommand(server.app, bot.id, data);
    expect(await whyRunnable(asOwner(), { channelId, commandId })).toMatchObject({ allowed: false, rule });
    expect(await outcome(invokeCommand(asOwner(), { channelId, commandId, options: [] }))).not.toBe('ok');
    expect(await runnableCommandIds(asOwner(), { channelId })).not.toContain(commandId);
  }
  const ofRole = [{ type: 8, name: 'role', description: 'A role', required: true }];
  const { id: commandId } = await putCommand(server.app, bot.id, { options: ofRole });
  const options = optionsOf({ name: 'role', type: 8, value: String(owner.id) });
  await expect(invokeCommand(asOwner(), { channelId, commandId, options })).rejects.toMatchObject({
    fields: [{ path: 'options.0.value', code: 'UNKNOWN_ROLE' }],
  });
});

test('between two users a user-installed application works for the user who installed it', async () => {
  const { app } = server;
  const helper = await createBot(app);
  await app.db.writer.application.update({ where: { id: helper.id }, data: { userInstall: true } });
  const friend = await createPerson(app);
  const { guildId } = await app.db.reader.member.findFirstOrThrow({ where: { userId: owner.id } });
  await addMember(app, guildId, friend);
  const { channel } = await openDirectChannel(asOwner(), friend.id);
  const { id: commandId } = await putCommand(app, helper.id, { integrationTypes: [0, 1], contexts: [2] });
  const find = (user: User) => findRunnableCommand(callOf(app, user), { channelId: channel.id, commandId });
  expect(await outcome(find(owner))).toBe('UNKNOWN_COMMAND');
  await installApplication(asOwner(), { applicationId: helper.id, scopes: ['applications.commands'] });
  expect((await find(owner)).owners).toEqual({ userId: owner.id });
  expect(await runnableCommandIds(asOwner(), { channelId: channel.id })).toEqual([commandId]);
  expect(await outcome(find(friend))).toBe('UNKNOWN_COMMAND');
});
