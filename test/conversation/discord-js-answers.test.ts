import {
  ActionRowBuilder,
  ApplicationCommandType,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  ComponentType,
  ContainerBuilder,
  EmbedBuilder,
  Events,
  FileBuilder,
  GatewayIntentBits,
  MediaGalleryBuilder,
  MediaGalleryItemBuilder,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraphql, type Loose } from '../harness/graphql.js';
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
import { type ChannelEvents, subscribe } from '../harness/subscriptions.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let client: Client<true>;
let commandId: string;
let events: ChannelEvents;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  application = await createApplication(ada);
  await install(ada, application, guild);
  events = await subscribe(server, ada, guild.textChannelId);
  const made = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
  client = await new Promise<Client<true>>((resolve, reject) => {
    made.once(Events.ClientReady, resolve);
    made.login(application.botToken).catch(reject);
  });
  commandId = (await client.application.commands.create({ name: 'try', description: 'Tries' })).id;
});
afterAll(async () => {
  await client?.destroy();
  await events?.close();
  await server.stop();
});

type Slash = ChatInputCommandInteraction<'cached'>;

async function answered(work: (interaction: Slash) => Promise<unknown>): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    client.once(Events.InteractionCreate, (interaction) => {
      if (!interaction.isChatInputCommand() || !interaction.inCachedGuild()) reject(new Error('that is no command'));
      else work(interaction).then(() => resolve(), reject);
    });
  });
  await Promise.all([done, ask('invokeCommand', 'InvokeCommandInput', { channelId: guild.textChannelId, commandId })]);
}

async function ask(mutation: string, type: string, input: object): Promise<string> {
  const { sent } = await ada.graphql(
    `mutation ($input: ${type}!) { sent: ${mutation}(input: $input) { interaction { id } } }`,
    { input },
  );
  return sent.interaction.id;
}

const use = (messageId: string, customId: string, values?: string[]) =>
  ask('useComponent', 'UseComponentInput', { channelId: guild.textChannelId, messageId, customId, values });

async function sees(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'): Promise<Loose> {
  return (await events.next((event) => event.type === type)).data;
}

const text = (name: string, content: string) => new AttachmentBuilder(Buffer.from(content), { name });
const button = (id: string) => new ButtonBuilder().setCustomId(id).setLabel(id).setStyle(ButtonStyle.Primary);
const buttons = (...ids: string[]) => new ActionRowBuilder<ButtonBuilder>().addComponents(ids.map(button));
const container = (content: string) =>
  new ContainerBuilder().addTextDisplayComponents(new TextDisplayBuilder().setContent(content));

describe('discord.js', () => {
  it('completes a deferred answer with a container, and follows up with another', async () => {
    await answered(async (interaction) => {
      await interaction.deferReply({ withResponse: true });
      const flags = MessageFlags.IsComponentsV2;
      const edited = await interaction.editReply({ components: [container('one')], flags });
      expect(edited.flags.has(flags)).toBe(true);
      await interaction.followUp({ components: [container('two')], flags });
    });
    expect(await sees('MESSAGE_CREATE')).toMatchObject({ flags: MessageFlags.Loading });
    expect(await sees('MESSAGE_UPDATE')).toMatchObject({ flags: MessageFlags.IsComponentsV2 });
    expect(await sees('MESSAGE_CREATE')).toMatchObject({ components: [{ components: [{ content: 'two' }] }] });
  });

  it('lays out uploaded files', async () => {
    await answered((interaction) =>
      interaction.reply({
        flags: MessageFlags.IsComponentsV2,
        files: [text('a.png', 'no picture'), text('b.txt', 'text')],
        components: [
          new MediaGalleryBuilder().addItems(new MediaGalleryItemBuilder().setURL('attachment://a.png')),
          new FileBuilder().setURL('attachment://b.txt'),
        ],
      }),
    );
    const { components } = await sees('MESSAGE_CREATE');
    expect(await (await fetch(components[1].file.url)).text()).toBe('text');
    expect(components[0].items[0].media.url).toMatch(/a\.png/);
  });

  it('shows an uploaded file in an embed, and drops files in an edit', async () => {
    await answered(async (interaction) => {
      const embed = new EmbedBuilder().setTitle('a picture').setImage('attachment://a.png');
      await interaction.reply({ embeds: [embed], files: [text('a.png', 'no picture')] });
      await interaction.editReply({ content: 'gone', embeds: [], attachments: [], files: [] });
    });
    expect((await sees('MESSAGE_CREATE')).embeds[0].image.url).toMatch(/a\.png/);
    expect(await sees('MESSAGE_UPDATE')).toMatchObject({ content: 'gone', embeds: [], attachments: [] });
  });

  it('waits for components and modals of its response, from one user only', async () => {
    let isListening = () => {};
    const listening = new Promise<void>((resolve) => {
      isListening = resolve;
    });
    const asking = answered(async (interaction) => {
      const response = await interaction.reply({
        content: 'psst',
        components: [buttons('more')],
        flags: MessageFlags.Ephemeral,
        withResponse: true,
      });
      const pressing = response.resource?.message?.awaitMessageComponent({ componentType: ComponentType.Button });
      isListening();
      const press = await pressing;
      if (!press) throw new Error('nobody pressed it');
      const input = new TextInputBuilder().setCustomId('why').setLabel('Why').setStyle(TextInputStyle.Short);
      const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input);
      await press.showModal(new ModalBuilder().setCustomId('m').setTitle('M').addComponents(row));
      const components = [{ type: 1, components: [{ type: 4, custom_id: 'why', value: 'so' }] }];
      const [filled] = await Promise.all([
        press.awaitModalSubmit({ time: 10_000 }),
        ask('submitModal', 'SubmitModalInput', { interactionId: press.id, components }),
      ]);
      if (!filled.isFromMessage()) throw new Error('that is from no message');
      await filled.update({ content: filled.fields.getTextInputValue('why'), components: [] });
      await filled.followUp({ content: 'done', flags: MessageFlags.Ephemeral });
      await interaction.editReply('at last');
    });
    const { id, flags } = await sees('MESSAGE_CREATE');
    expect(flags).toBe(MessageFlags.Ephemeral);
    await Promise.race([listening, asking]);
    await use(id, 'more');
    await asking;
    expect(await sees('MESSAGE_UPDATE')).toMatchObject({ id, content: 'so', components: [], flags });
    expect(await sees('MESSAGE_CREATE')).toMatchObject({ content: 'done', flags });
    expect(await sees('MESSAGE_UPDATE')).toMatchObject({ id, content: 'at last' });
  });

  it('treats its response as its own message', async () => {
    await answered(async (interaction) => {
      await interaction.reply('mine');
      const message = await interaction.fetchReply();
      expect(message.author.id).toBe(client.user.id);
      expect(message.interactionMetadata?.user.id).toBe(ada.id);
      await message.edit('still mine');
      await message.reply('a reply');
      await message.delete();
    });
    const { id, content } = await sees('MESSAGE_CREATE');
    expect(content).toBe('mine');
    expect(await sees('MESSAGE_UPDATE')).toMatchObject({ id, content: 'still mine' });
    expect(await sees('MESSAGE_CREATE')).toMatchObject({ content: 'a reply', message_reference: { message_id: id } });
    expect(await sees('MESSAGE_DELETE')).toMatchObject({ id });
  });

  it('parses default values, empty selections, links and disabled components', async () => {
    await answered((interaction) =>
      interaction.reply({
        content: 'choose',
        components: [
          new ActionRowBuilder<UserSelectMenuBuilder>().addComponents(
            new UserSelectMenuBuilder().setCustomId('who').addDefaultUsers(ada.id).setMinValues(0).setMaxValues(3),
          ),
          new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
            new StringSelectMenuBuilder()
              .setCustomId('what')
              .setPlaceholder('What')
              .addOptions({ label: 'A', value: 'a', description: 'the first', emoji: '🦦', default: true }),
          ),
          new ActionRowBuilder<ButtonBuilder>().addComponents(
            new ButtonBuilder().setURL('https://chat.example').setLabel('Look').setStyle(ButtonStyle.Link),
            button('off').setDisabled(true).setEmoji('🦦'),
          ),
        ],
      }),
    );
    const { id, components } = await sees('MESSAGE_CREATE');
    expect(components[0].components[0].default_values).toEqual([{ id: ada.id, type: 'user' }]);
    const chosen = new Promise<string[]>((resolve, reject) => {
      client.once(Events.InteractionCreate, (interaction) => {
        if (!interaction.isUserSelectMenu()) return reject(new Error('that is no select'));
        interaction.deferUpdate().then(() => resolve(interaction.values), reject);
      });
    });
    await use(id, 'who', []);
    expect(await chosen).toEqual([]);
    const { errors } = await askGraphql(
      server,
      `mutation ($input: UseComponentInput!) { useComponent(input: $input) { interaction { id } } }`,
      { input: { channelId: guild.textChannelId, messageId: id, customId: 'off' } },
      { authorization: `Bearer ${ada.token}` },
    );
    expect(errors).toHaveLength(1);
  });

  it('reads back everything that it registered for a command', async () => {
    const given = {
      type: ApplicationCommandType.ChatInput as const,
      name: 'everything',
      description: 'All there is',
      nameLocalizations: { de: 'alles' },
      descriptionLocalizations: { de: 'Alles, was es gibt' },
      defaultMemberPermissions: 8n,
      nsfw: true,
      contexts: [0, 1, 2],
      integrationTypes: [0, 1],
    };
    const made = await client.application.commands.create(given);
    const read = await client.application.commands.fetch(made.id, { withLocalizations: true });
    for (const command of [made, read]) {
      expect(command.equals(given)).toBe(true);
      expect(command.defaultMemberPermissions?.bitfield).toBe(8n);
    }
    await made.delete();
    await expect(client.application.commands.fetch(made.id)).rejects.toMatchObject({ code: 10063 });
  });
});
