import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  Client,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let client: Client<true>;
let answer: (interaction: Interaction) => Promise<unknown> = async () => {};
const failures: unknown[] = [];

beforeAll(async () => {
  server = await startServer({ RATE_LIMITS: 'off' } as never);
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  application = await createApplication(ada);
  await install(ada, application, guild, { permissions: '8' });
  const made = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    rest: { api: `${server.origin}/api`, version: '10' },
  });
  made.on('interactionCreate', (interaction) => {
    answer(interaction).catch((error: unknown) => failures.push(error));
  });
  const ready = new Promise((resolve) => made.once('clientReady', resolve));
  await made.login(application.botToken);
  await ready;
  client = made as Client<true>;
});
afterAll(async () => {
  await client?.destroy();
  await server?.stop();
});

const INTERACTION =
  'interaction { id state failure message { id content flags components } modal trace { kind reason } }';

async function invoke(command: { id: string }, more: object = {}): Promise<Loose> {
  const { invokeCommand } = await ada.graphql(
    `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { ${INTERACTION} } }`,
    { input: { channelId: guild.textChannelId, commandId: command.id, ...more } },
  );
  return invokeCommand.interaction;
}

async function read(id: string): Promise<Loose> {
  return (
    await ada.graphql(
      `query ($id: ID!) { interaction(id: $id) { id state failure message { id content flags } modal trace { kind reason response } } }`,
      { id },
    )
  ).interaction;
}

/** What the bot makes of the next interaction. */
function answered(work: (interaction: Interaction) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    answer = async (interaction) => work(interaction).then(() => resolve(), reject);
  });
}

test('discord.js registers a command, receives it and replies', async () => {
  const command = await client.application.commands.create({
    name: 'echo',
    description: 'Says it again',
    type: ApplicationCommandType.ChatInput,
    options: [{ name: 'text', description: 'What', type: ApplicationCommandOptionType.String, required: true }],
  });
  const done = answered(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('no slash command');
    const response = await interaction.reply({
      content: interaction.options.getString('text', true),
      withResponse: true,
    });
    expect(response.resource?.message?.content).toBe('hello');
  });
  const sent = await invoke(command, { options: [{ name: 'text', type: 3, value: 'hello' }] });
  expect(sent.state).toMatch(/DELIVERED_GATEWAY|ANSWERED/);
  await done;
  expect(await read(sent.id)).toMatchObject({ state: 'ANSWERED', message: { content: 'hello' } });
});

test('defers, edits, follows up and deletes', async () => {
  const command = await client.application.commands.create({ name: 'later', description: 'Takes its time' });
  const done = answered(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('no slash command');
    await interaction.deferReply();
    expect(await read(interaction.id)).toMatchObject({ state: 'DEFERRED', message: { content: '' } });
    await interaction.editReply('done');
    const more = await interaction.followUp({ content: 'secret', flags: MessageFlags.Ephemeral });
    expect(more.flags.has(MessageFlags.Ephemeral)).toBe(true);
    await interaction.deleteReply(more);
    expect((await interaction.fetchReply()).content).toBe('done');
  });
  const sent = await invoke(command);
  await done;
  expect(await read(sent.id)).toMatchObject({ state: 'ANSWERED', message: { content: 'done' } });
});

test('buttons, selects and modals', async () => {
  const command = await client.application.commands.create({ name: 'form', description: 'Asks' });
  let messageId = '';
  const posted = answered(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('no slash command');
    const buttons = new ActionRowBuilder<ButtonBuilder>().addComponents(
      new ButtonBuilder().setCustomId('open').setLabel('Open').setStyle(ButtonStyle.Primary),
    );
    const select = new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
      new StringSelectMenuBuilder()
        .setCustomId('pick')
        .addOptions({ label: 'A', value: 'a' }, { label: 'B', value: 'b' }),
    );
    const { resource } = await interaction.reply({
      components: [buttons, select],
      content: 'choose',
      withResponse: true,
    });
    messageId = resource?.message?.id ?? '';
  });
  await invoke(command);
  await posted;
  const use = (input: object) =>
    ada.graphql(`mutation ($input: UseComponentInput!) { useComponent(input: $input) { ${INTERACTION} } }`, {
      input: { channelId: guild.textChannelId, messageId, ...input },
    });
  const updated = answered(async (interaction) => {
    if (!interaction.isStringSelectMenu()) throw new Error('no select');
    await interaction.update({ content: `picked ${interaction.values.join()}` });
  });
  await use({ customId: 'pick', values: ['b'] });
  await updated;
  const shown = answered(async (interaction) => {
    if (!interaction.isButton()) throw new Error('no button');
    expect(interaction.message.content).toBe('picked b');
    const input = new TextInputBuilder().setCustomId('why').setLabel('Why').setStyle(TextInputStyle.Short);
    const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input);
    await interaction.showModal(new ModalBuilder().setCustomId('reason').setTitle('Reason').addComponents(row));
  });
  const { useComponent } = await use({ customId: 'open' });
  await shown;
  const { modal } = await read(useComponent.interaction.id);
  expect(modal).toMatchObject({ custom_id: 'reason', title: 'Reason' });
  const filled = answered(async (interaction) => {
    if (!interaction.isModalSubmit()) throw new Error('no modal');
    await interaction.reply(`because ${interaction.fields.getTextInputValue('why')}`);
  });
  const { submitModal } = await ada.graphql(
    `mutation ($input: SubmitModalInput!) { submitModal(input: $input) { ${INTERACTION} } }`,
    {
      input: {
        interactionId: useComponent.interaction.id,
        components: [{ type: 1, components: [{ type: 4, custom_id: 'why', value: 'of rain' }] }],
      },
    },
  );
  await filled;
  expect(await read(submitModal.interaction.id)).toMatchObject({
    state: 'ANSWERED',
    message: { content: 'because of rain' },
  });
});

test('autocompletes', async () => {
  const command = await client.application.commands.create({
    name: 'find',
    description: 'Finds',
    options: [{ name: 'what', description: 'What', type: ApplicationCommandOptionType.String, autocomplete: true }],
  });
  const done = answered(async (interaction) => {
    if (!interaction.isAutocomplete()) throw new Error('no autocomplete');
    await interaction.respond([{ name: `${interaction.options.getFocused()}!`, value: 'x' }]);
  });
  const { autocompleteCommand } = await ada.graphql(
    `mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }`,
    {
      input: {
        channelId: guild.textChannelId,
        commandId: command.id,
        options: [{ name: 'what', type: 3, value: 'he', focused: true }],
      },
    },
  );
  await done;
  expect(autocompleteCommand.choices).toEqual([{ name: 'he!', value: 'x' }]);
  expect(failures).toEqual([]);
});
