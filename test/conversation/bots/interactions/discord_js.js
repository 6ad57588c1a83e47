// The bot of interactions.test.ts with stock discord.js.
import assert from 'node:assert/strict';
import {
  ActionRowBuilder,
  ApplicationCommandType,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  Client,
  ContainerBuilder,
  ContextMenuCommandBuilder,
  Events,
  GatewayIntentBits,
  LabelBuilder,
  MentionableSelectMenuBuilder,
  MessageFlags,
  ModalBuilder,
  RoleSelectMenuBuilder,
  SectionBuilder,
  SeparatorBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: process.env.API_URL },
});

const slash = (name) => new SlashCommandBuilder().setName(name).setDescription(`Tries ${name}`);
const COMMANDS = [
  slash('echo')
    .setNameLocalizations({ de: 'sag' })
    .addStringOption((option) => option.setName('text').setDescription('What').setRequired(true).setMaxLength(100))
    .addIntegerOption((option) => option.setName('count').setDescription('How often').setMinValue(1))
    .addUserOption((option) => option.setName('who').setDescription('Who'))
    .addRoleOption((option) => option.setName('role').setDescription('Which'))
    .addChannelOption((option) => option.setName('where').setDescription('Where')),
  slash('game').addSubcommandGroup((group) =>
    group
      .setName('round')
      .setDescription('Rounds')
      .addSubcommand((one) =>
        one
          .setName('start')
          .setDescription('Starts one')
          .addStringOption((option) =>
            option.setName('level').setDescription('How hard').addChoices({ name: 'Hard', value: 'hard' }),
          ),
      ),
  ),
  slash('find').addStringOption((option) => option.setName('what').setDescription('What').setAutocomplete(true)),
  ...['later', 'files', 'form', 'choose', 'report', 'refused', 'gone', 'panel'].map(slash),
  new ContextMenuCommandBuilder().setName('Greet').setType(ApplicationCommandType.User),
  new ContextMenuCommandBuilder().setName('Quote').setType(ApplicationCommandType.Message),
];

async function register() {
  const { commands } = client.application;
  const draft = await commands.create(slash('draft'));
  const edited = await draft.edit({ description: 'Another' });
  assert.deepEqual([edited.id, edited.description], [draft.id, 'Another']);
  assert.deepEqual([...(await commands.fetch()).keys()], [draft.id]);
  const first = await commands.set([slash('echo')]);
  const all = await commands.set(COMMANDS);
  assert.equal(all.size, COMMANDS.length);
  assert.ok(all.has(first.firstKey()), 'a command keeps its id');
  const guild = client.guilds.cache.first();
  const local = await guild.commands.set([slash('here'), slash('spare')]);
  await guild.commands.delete(local.find(({ name }) => name === 'spare'));
}

const text = (name, content) => new AttachmentBuilder(Buffer.from(content), { name });
const row = (...components) => new ActionRowBuilder().addComponents(...components);
const button = (id, style = ButtonStyle.Primary) => new ButtonBuilder().setCustomId(id).setLabel(id).setStyle(style);

const question = () =>
  new ModalBuilder()
    .setCustomId('question')
    .setTitle('A question')
    .addComponents(
      row(new TextInputBuilder().setCustomId('why').setLabel('Why').setStyle(TextInputStyle.Short)),
      row(
        new TextInputBuilder()
          .setCustomId('more')
          .setLabel('More')
          .setStyle(TextInputStyle.Paragraph)
          .setRequired(false),
      ),
    );

const report = () =>
  new ModalBuilder()
    .setCustomId('report')
    .setTitle('A report')
    .addTextDisplayComponents(new TextDisplayBuilder().setContent('Whom is it about?'))
    .addLabelComponents(
      new LabelBuilder()
        .setLabel('What')
        .setTextInputComponent(new TextInputBuilder().setCustomId('what').setStyle(TextInputStyle.Short)),
      new LabelBuilder().setLabel('Who').setUserSelectMenuComponent(new UserSelectMenuBuilder().setCustomId('who')),
      new LabelBuilder()
        .setLabel('How bad')
        .setStringSelectMenuComponent(
          new StringSelectMenuBuilder().setCustomId('how').addOptions({ label: 'Very', value: 'very' }),
        ),
    );

const panel = (content) =>
  new ContainerBuilder()
    .setAccentColor(0xff8800)
    .addTextDisplayComponents(new TextDisplayBuilder().setContent(content))
    .addSeparatorComponents(new SeparatorBuilder())
    .addSectionComponents(
      new SectionBuilder()
        .addTextDisplayComponents(new TextDisplayBuilder().setContent('Press it'))
        .setButtonAccessory(button('press')),
    );

const COMMAND_ANSWERS = {
  async echo(interaction) {
    const { options } = interaction;
    const named = [options.getUser('who').username, options.getRole('role').name, options.getChannel('where').name];
    assert.equal(options.getMember('who').id, options.getUser('who').id);
    const words = [options.getString('text'), options.getInteger('count'), ...named];
    const { resource } = await interaction.reply({ content: words.join(' '), withResponse: true });
    assert.equal(resource.message.content, words.join(' '));
  },
  async game(interaction) {
    const { options } = interaction;
    const level = options.getString('level');
    await interaction.reply(`${options.getSubcommandGroup()} ${options.getSubcommand()} ${level}`);
  },
  here: (interaction) => interaction.reply({ content: 'here', flags: MessageFlags.Ephemeral }),
  async later(interaction) {
    await interaction.deferReply();
    await interaction.editReply('done');
    const whisper = await interaction.followUp({ content: 'whisper', flags: MessageFlags.Ephemeral });
    assert.ok(whisper.flags.has(MessageFlags.Ephemeral));
    const more = await interaction.followUp({ content: 'more', files: [text('more.txt', 'more')] });
    await interaction.editReply({ message: more, content: 'more than that' });
    await interaction.deleteReply(whisper);
    assert.equal((await interaction.fetchReply()).content, 'done');
  },
  async files(interaction) {
    await interaction.reply({ content: 'one', files: [text('one.txt', 'first')] });
    const { attachments } = await interaction.fetchReply();
    await interaction.editReply({
      content: 'two',
      attachments: [...attachments.values()],
      files: [text('two.txt', 'second')],
    });
  },
  form: (interaction) =>
    interaction.reply({
      content: 'form',
      components: [row(button('change'), button('quiet'), button('ask'), button('remove', ButtonStyle.Danger))],
    }),
  choose: (interaction) =>
    interaction.reply({
      content: 'choose',
      components: [
        row(
          new StringSelectMenuBuilder()
            .setCustomId('string')
            .setMaxValues(2)
            .addOptions({ label: 'A', value: 'a' }, { label: 'B', value: 'b' }),
        ),
        row(new UserSelectMenuBuilder().setCustomId('user')),
        row(new RoleSelectMenuBuilder().setCustomId('role')),
        row(new MentionableSelectMenuBuilder().setCustomId('mentionable').setMaxValues(2)),
        row(new ChannelSelectMenuBuilder().setCustomId('channel')),
      ],
    }),
  report: (interaction) => interaction.showModal(report()),
  async refused(interaction) {
    const fault = await interaction.reply('x'.repeat(5000)).catch((error) => error);
    await interaction.reply(`${fault.status} ${fault.code} ${Object.keys(fault.rawError.errors.data).join()}`);
  },
  async gone(interaction) {
    await interaction.reply('soon gone');
    await interaction.deleteReply();
  },
  panel: (interaction) => interaction.reply({ components: [panel('Closed')], flags: MessageFlags.IsComponentsV2 }),
  async Greet(interaction) {
    assert.equal(interaction.targetMember.id, interaction.targetUser.id);
    await interaction.reply({ content: `Hello, ${interaction.targetUser.username}`, flags: MessageFlags.Ephemeral });
  },
  Quote: (interaction) => interaction.reply(`> ${interaction.targetMessage.content}`),
};

const COMPONENT_ANSWERS = {
  change: (interaction) => interaction.update('changed'),
  async quiet(interaction) {
    await interaction.deferUpdate();
    await interaction.editReply('quietly changed');
  },
  ask: (interaction) => interaction.showModal(question()),
  async remove(interaction) {
    await interaction.deferUpdate();
    await interaction.deleteReply();
  },
  string: (interaction) => interaction.update(`string ${interaction.values.join()}`),
  user: (interaction) => interaction.reply(`user ${interaction.users.first().username}`),
  role: (interaction) => interaction.reply(`role ${interaction.roles.first().name}`),
  mentionable: (interaction) =>
    interaction.reply(`mentionable ${interaction.users.first().username} ${interaction.roles.first().name}`),
  channel: (interaction) => interaction.reply(`channel ${interaction.channels.first().name}`),
  press: (interaction) => interaction.update({ components: [panel('Open')] }),
};

const MODAL_ANSWERS = {
  async question(interaction) {
    const { fields } = interaction;
    assert.ok(interaction.isFromMessage());
    await interaction.update(`because ${fields.getTextInputValue('why')}${fields.getTextInputValue('more')}`);
  },
  async report(interaction) {
    const { fields } = interaction;
    const who = fields.getSelectedUsers('who', true).first().username;
    await interaction.reply(`${fields.getTextInputValue('what')} ${who} ${fields.getStringSelectValues('how').join()}`);
  },
};

function answer(interaction) {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    return interaction.respond([{ name: `${typed}!`, value: typed.toUpperCase() }]);
  }
  if (interaction.isCommand()) return COMMAND_ANSWERS[interaction.commandName](interaction);
  if (interaction.isModalSubmit()) return MODAL_ANSWERS[interaction.customId](interaction);
  return COMPONENT_ANSWERS[interaction.customId](interaction);
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

client.on(Events.InteractionCreate, (interaction) => {
  const name = interaction.commandName ?? interaction.customId;
  answer(interaction).then(() => console.log(name), fail);
});
client.once(Events.ClientReady, () => register().then(() => console.log('online'), fail));
await client.login(process.env.BOT_TOKEN);
