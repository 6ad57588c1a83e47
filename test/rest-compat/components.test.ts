import { once } from 'node:events';
import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  ChannelType,
  CheckboxBuilder,
  CheckboxGroupBuilder,
  CheckboxGroupOptionBuilder,
  type Client,
  ComponentType,
  ContainerBuilder,
  Client as DiscordClient,
  Events,
  FileBuilder,
  FileUploadBuilder,
  GatewayIntentBits,
  LabelBuilder,
  MediaGalleryBuilder,
  MediaGalleryItemBuilder,
  MentionableSelectMenuBuilder,
  type MessageActionRowComponentBuilder,
  MessageFlags,
  ModalBuilder,
  RadioGroupBuilder,
  RadioGroupOptionBuilder,
  RoleSelectMenuBuilder,
  SectionBuilder,
  SeparatorBuilder,
  SeparatorSpacingSize,
  StringSelectMenuBuilder,
  StringSelectMenuOptionBuilder,
  type TextChannel,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  ThumbnailBuilder,
  UserSelectMenuBuilder,
} from 'discord.js';
import { Client as OceanicClient } from 'oceanic.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { modalContent } from '../../src/domain/messages/index.js';
import { faultsIn } from '../harness/faults-in.js';
import { test } from '../harness/fixtures.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const button = (id: string) => new ButtonBuilder().setCustomId(id).setLabel('Press').setStyle(ButtonStyle.Primary);
const row = (...components: MessageActionRowComponentBuilder[]) =>
  new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(...components);

describe('an unmodified discord.js', () => {
  let client: Client;
  let channel: TextChannel;

  beforeAll(async () => {
    const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
    client = new DiscordClient({
      intents: [Guilds, GuildMessages, MessageContent],
      rest: { api: `${server.origin}/api` },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(scene.bot.bot.token);
    await ready;
    channel = (await client.channels.fetch(scene.channelId)) as TextChannel;
  });
  afterAll(() => client.destroy());

  test('sends action rows with every component and reads them back', async () => {
    const option = (value: string) =>
      new StringSelectMenuOptionBuilder().setLabel(value).setValue(value).setDescription('x').setEmoji('🦉');
    const selects = [
      new StringSelectMenuBuilder()
        .setCustomId('s')
        .setPlaceholder('Pick')
        .setMaxValues(2)
        .addOptions(option('a'), option('b')),
      new UserSelectMenuBuilder().setCustomId('u').addDefaultUsers(scene.bot.id),
      new RoleSelectMenuBuilder().setCustomId('r').setMinValues(0).setMaxValues(25),
      new ChannelSelectMenuBuilder().setCustomId('c').addChannelTypes(ChannelType.GuildText),
    ];
    const link = new ButtonBuilder().setStyle(ButtonStyle.Link).setLabel('Read').setURL('https://a.example/');
    const buttons = row(button('b').setEmoji('🦉').setDisabled(true), link);
    const sent = await channel.send({ content: 'x', components: [buttons, ...selects.map((select) => row(select))] });
    expect(sent.components).toHaveLength(5);
    expect(sent.resolveComponent('b')).toMatchObject({
      type: ComponentType.Button,
      id: 2,
      disabled: true,
      label: 'Press',
    });
    expect(sent.resolveComponent('s')).toMatchObject({
      minValues: 1,
      maxValues: 2,
      options: [{ value: 'a' }, { value: 'b' }],
    });
    const again = await sent.edit({ components: sent.components });
    expect(again.components.map((component) => component.toJSON())).toEqual(
      sent.components.map((component) => component.toJSON()),
    );
    const mentionables = new MentionableSelectMenuBuilder().setCustomId('m').addDefaultUsers(scene.bot.id);
    expect((await channel.send({ components: [row(mentionables)] })).resolveComponent('m')).not.toBeNull();
  });

  test('sends a layout with files and reads it back', async () => {
    const text = (content: string) => new TextDisplayBuilder().setContent(content);
    const thumbnail = new ThumbnailBuilder().setURL('attachment://a.txt').setDescription('A file').setSpoiler(true);
    const elsewhere = new MediaGalleryItemBuilder().setURL('https://a.example/x.png');
    const container = new ContainerBuilder()
      .setAccentColor(0xff_00_00)
      .addTextDisplayComponents(text('in a container'))
      .addSectionComponents(new SectionBuilder().addTextDisplayComponents(text('x')).setThumbnailAccessory(thumbnail))
      .addMediaGalleryComponents(new MediaGalleryBuilder().addItems(elsewhere))
      .addSeparatorComponents(new SeparatorBuilder().setDivider(false).setSpacing(SeparatorSpacingSize.Large))
      .addActionRowComponents(row(button('in it')))
      .addFileComponents(new FileBuilder().setURL('attachment://a.txt'));
    const section = new SectionBuilder().addTextDisplayComponents(text('y')).setButtonAccessory(button('beside'));
    const files = [new AttachmentBuilder(Buffer.from('hello'), { name: 'a.txt' })];
    const heard = once(client, Events.MessageCreate);
    const sent = await channel.send({
      flags: MessageFlags.IsComponentsV2,
      components: [container, section, text('z')],
      files,
    });
    const [first] = sent.components;
    const { url } = sent.attachments.first() ?? {};
    expect(first?.toJSON()).toMatchObject({
      type: 17,
      id: 1,
      accent_color: 0xff_00_00,
      spoiler: false,
      components: [
        { type: 10, id: 2 },
        { type: 9, id: 3, accessory: { type: 11, id: 5, media: { url }, spoiler: true } },
        { type: 12, id: 6, items: [{ media: { url: 'https://a.example/x.png' }, spoiler: false }] },
        { type: 14, id: 7, divider: false, spacing: 2 },
        { type: 1, id: 8, components: [{ type: 2, id: 9, custom_id: 'in it' }] },
        { type: 13, id: 10, file: { url }, name: 'a.txt', size: 5 },
      ],
    });
    expect(await (await fetch(url ?? '')).text()).toBe('hello');
    const [told] = await heard;
    expect(told.components.map((component: { toJSON(): object }) => component.toJSON())).toEqual(
      sent.components.map((component) => component.toJSON()),
    );
  });

  test('reports the fault of each component', async () => {
    const twice = channel.send({ components: [row(button('same')), row(button('same'))] });
    await expect(twice).rejects.toThrow('components[1].components[0].custom_id[COMPONENT_CUSTOM_ID_DUPLICATED]');
    const layout = channel.send({ components: [new TextDisplayBuilder().setContent('x')] });
    await expect(layout).rejects.toThrow(
      'components[0][UNION_TYPE_CHOICES]: Value of field "type" must be one of (1,).',
    );
  });

  test('builds modals with every input, and they are accepted', () => {
    const label = (text: string) => new LabelBuilder().setLabel(text).setDescription('x');
    const input = (id: string) => new TextInputBuilder().setCustomId(id).setStyle(TextInputStyle.Short);
    const old = new ModalBuilder()
      .setCustomId('old')
      .setTitle('Old')
      .addComponents(
        new ActionRowBuilder<TextInputBuilder>().addComponents(input('i').setLabel('Label').setRequired(false)),
      );
    const select = new StringSelectMenuBuilder().setCustomId('s').addOptions({ label: 'a', value: 'a' });
    const fresh = new ModalBuilder()
      .setCustomId('fresh')
      .setTitle('Fresh')
      .addTextDisplayComponents(new TextDisplayBuilder().setContent('Hello'))
      .addLabelComponents(
        label('text').setTextInputComponent(
          input('t').setMinLength(1).setMaxLength(9).setPlaceholder('x').setValue('y'),
        ),
        label('choice').setStringSelectMenuComponent(select),
        label('people').setUserSelectMenuComponent(new UserSelectMenuBuilder().setCustomId('u').setRequired(false)),
        label('file').setFileUploadComponent(new FileUploadBuilder().setCustomId('f').setMaxValues(2)),
      );
    const options = ['a', 'b'].map((value) => ({ label: value, value }));
    const boxes = new ModalBuilder()
      .setCustomId('boxes')
      .setTitle('Boxes')
      .addLabelComponents(
        label('one').setRadioGroupComponent(
          new RadioGroupBuilder()
            .setCustomId('r')
            .addOptions(options.map((option) => new RadioGroupOptionBuilder(option))),
        ),
        label('some').setCheckboxGroupComponent(
          new CheckboxGroupBuilder()
            .setCustomId('c')
            .addOptions(options.map((option) => new CheckboxGroupOptionBuilder(option))),
        ),
        label('yes').setCheckboxComponent(new CheckboxBuilder().setCustomId('y')),
      );
    for (const modal of [old, fresh, boxes]) expect(faultsIn(modalContent, modal.toJSON())).toEqual([]);
  });
});

test('an unmodified oceanic.js sends components in its own form and reads them back', async () => {
  const client = new OceanicClient({
    auth: `Bot ${scene.bot.bot.token}`,
    rest: { baseURL: `${server.origin}/api/v10` },
  });
  const sent = await client.rest.channels.createMessage(scene.channelId, {
    content: 'x',
    components: [
      {
        type: 1,
        components: [
          { type: 2, style: 1, customID: 'b', label: 'x', emoji: { id: null, name: '🦉' } },
          { type: 2, style: 5, url: 'https://a.example/', label: 'x' },
        ],
      },
      { type: 1, components: [{ type: 8, customID: 'c', channelTypes: [0], maxValues: 2, placeholder: 'Pick' }] },
    ],
  });
  expect(sent.components).toMatchObject([
    { components: [{ customID: 'b', emoji: { name: '🦉' } }, { url: 'https://a.example/' }] },
    { components: [{ customID: 'c', minValues: 1, maxValues: 2, channelTypes: [0] }] },
  ]);
});

test('components in the form of eris are accepted with their empty fields', async () => {
  const { status, body } = await scene.bot.post(scene.messages, {
    content: 'x',
    components: [
      {
        type: 1,
        components: [
          {
            type: 2,
            style: 2,
            custom_id: 'b',
            label: 'x',
            emoji: { id: null, name: '🦉' },
            disabled: false,
            url: null,
          },
        ],
      },
      { type: 1, components: [{ type: 3, custom_id: 's', options: [{ label: 'x', value: 'y', default: true }] }] },
    ],
  });
  expect({ status, components: body.components.length }).toEqual({ status: 200, components: 2 });
});
