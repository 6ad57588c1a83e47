// The bot of interactions.test.ts with stock oceanic.js.
import assert from 'node:assert/strict';
import {
  ButtonStyles,
  Client,
  ComponentTypes,
  MessageFlags,
  ApplicationCommandOptionTypes as Option,
  TextInputStyles,
  ApplicationCommandTypes as Type,
} from 'oceanic.js';

const client = new Client({
  auth: `Bot ${process.env.BOT_TOKEN}`,
  gateway: { intents: ['GUILDS'] },
  rest: { baseURL: `${process.env.API_URL}/v10` },
});

const slash = (name, options = []) => ({ type: Type.CHAT_INPUT, name, description: `Tries ${name}`, options });
const option = (type, name, more = {}) => ({ type, name, description: `Which ${name}`, ...more });
const COMMANDS = [
  slash('echo', [
    option(Option.STRING, 'text', { required: true, maxLength: 100 }),
    option(Option.INTEGER, 'count', { minValue: 1 }),
    option(Option.USER, 'who'),
    option(Option.ROLE, 'role'),
    option(Option.CHANNEL, 'where'),
  ]),
  slash('game', [
    option(Option.SUB_COMMAND_GROUP, 'round', {
      options: [
        option(Option.SUB_COMMAND, 'start', {
          options: [option(Option.STRING, 'level', { choices: [{ name: 'Hard', value: 'hard' }] })],
        }),
      ],
    }),
  ]),
  slash('find', [option(Option.STRING, 'what', { autocomplete: true })]),
  ...['later', 'files', 'form', 'choose', 'report', 'refused', 'gone', 'panel'].map((name) => slash(name)),
  { type: Type.USER, name: 'Greet' },
  { type: Type.MESSAGE, name: 'Quote' },
];

async function register() {
  const { application } = client;
  const draft = await application.createGlobalCommand(slash('draft'));
  const edited = await draft.edit({ description: 'Another' });
  assert.deepEqual([edited.id, edited.description], [draft.id, 'Another']);
  const known = await application.getGlobalCommands();
  assert.deepEqual(
    known.map(({ id }) => id),
    [draft.id],
  );
  await draft.delete();
  const all = await application.bulkEditGlobalCommands(COMMANDS);
  assert.equal(all.length, COMMANDS.length);
  await application.bulkEditGuildCommands(process.env.GUILD_ID, [slash('here')]);
}

const file = (name, text) => ({ name, contents: Buffer.from(text) });
const row = (...components) => ({ type: ComponentTypes.ACTION_ROW, components });
const button = (customID) => ({ type: ComponentTypes.BUTTON, style: ButtonStyles.PRIMARY, label: customID, customID });
const label = (text, component) => ({ type: ComponentTypes.LABEL, label: text, component });
const input = (customID, more) => ({
  type: ComponentTypes.TEXT_INPUT,
  customID,
  style: TextInputStyles.SHORT,
  ...more,
});
const show = (content) => ({ type: ComponentTypes.TEXT_DISPLAY, content });

const panel = (content) => ({
  type: ComponentTypes.CONTAINER,
  accentColor: 0xff8800,
  components: [
    show(content),
    { type: ComponentTypes.SEPARATOR },
    { type: ComponentTypes.SECTION, components: [show('Press it')], accessory: button('press') },
  ],
});

const COMMAND_ANSWERS = {
  async echo(interaction) {
    const { options } = interaction.data;
    const named = [options.getUser('who').username, options.getRole('role').name, options.getChannel('where').name];
    assert.equal(options.getMember('who').id, options.getUser('who').id);
    const words = [options.getString('text'), options.getInteger('count'), ...named];
    const response = await interaction.createMessage({ content: words.join(' ') });
    assert.equal((await response.getMessage()).content, words.join(' '));
  },
  async game(interaction) {
    const { options } = interaction.data;
    await interaction.reply({ content: `${options.getSubCommand().join(' ')} ${options.getString('level')}` });
  },
  here: (interaction) => interaction.reply({ content: 'here', flags: MessageFlags.EPHEMERAL }),
  async later(interaction) {
    await interaction.defer();
    await interaction.editOriginal({ content: 'done' });
    const whisper = await interaction.createFollowup({ content: 'whisper', flags: MessageFlags.EPHEMERAL });
    const { message } = await interaction.createFollowup({ content: 'more', files: [file('more.txt', 'more')] });
    await interaction.editFollowup(message.id, { content: 'more than that' });
    await interaction.deleteFollowup(whisper.message.id);
    assert.equal((await interaction.getOriginal()).content, 'done');
    assert.equal((await interaction.getFollowup(message.id)).content, 'more than that');
  },
  async files(interaction) {
    await interaction.reply({ content: 'one', files: [file('one.txt', 'first')] });
    const { attachments } = await interaction.getOriginal();
    await interaction.editOriginal({
      content: 'two',
      attachments: [...attachments.values()].map(({ id }) => ({ id })),
      files: [file('two.txt', 'second')],
    });
  },
  form: (interaction) =>
    interaction.reply({ content: 'form', components: [row(...['change', 'quiet', 'ask', 'remove'].map(button))] }),
  choose: (interaction) =>
    interaction.reply({
      content: 'choose',
      components: [
        row({
          type: ComponentTypes.STRING_SELECT,
          customID: 'string',
          maxValues: 2,
          options: [
            { label: 'A', value: 'a' },
            { label: 'B', value: 'b' },
          ],
        }),
        row({ type: ComponentTypes.USER_SELECT, customID: 'user' }),
        row({ type: ComponentTypes.ROLE_SELECT, customID: 'role' }),
        row({ type: ComponentTypes.MENTIONABLE_SELECT, customID: 'mentionable', maxValues: 2 }),
        row({ type: ComponentTypes.CHANNEL_SELECT, customID: 'channel', channelTypes: [] }),
      ],
    }),
  // Without text, which oceanic.js cannot parse in a submitted modal.
  report: (interaction) =>
    interaction.createModal({
      customID: 'report',
      title: 'A report',
      components: [
        label('What', input('what')),
        label('Who', { type: ComponentTypes.USER_SELECT, customID: 'who' }),
        label('How bad', {
          type: ComponentTypes.STRING_SELECT,
          customID: 'how',
          options: [{ label: 'Very', value: 'very' }],
        }),
      ],
    }),
  async refused(interaction) {
    const fault = await client.rest.interactions
      .createInteractionResponse(interaction.id, interaction.token, {
        type: 4,
        data: { content: 'x'.repeat(5000) },
      })
      .catch((error) => error);
    await interaction.reply({
      content: `${fault.status} ${fault.code} ${Object.keys(fault.resBody.errors.data).join()}`,
    });
  },
  async gone(interaction) {
    await interaction.reply({ content: 'soon gone' });
    await interaction.deleteOriginal();
  },
  panel: (interaction) => interaction.reply({ components: [panel('Closed')], flags: MessageFlags.IS_COMPONENTS_V2 }),
  Greet: (interaction) =>
    interaction.reply({ content: `Hello, ${interaction.data.target.username}`, flags: MessageFlags.EPHEMERAL }),
  Quote: (interaction) => interaction.reply({ content: `> ${interaction.data.target.content}` }),
};

const COMPONENT_ANSWERS = {
  change: (interaction) => interaction.editParent({ content: 'changed' }),
  async quiet(interaction) {
    await interaction.deferUpdate();
    await interaction.editOriginal({ content: 'quietly changed' });
  },
  ask: (interaction) =>
    interaction.createModal({
      customID: 'question',
      title: 'A question',
      components: [
        row(input('why', { label: 'Why' })),
        row(input('more', { label: 'More', style: TextInputStyles.PARAGRAPH, required: false })),
      ],
    }),
  async remove(interaction) {
    await interaction.deferUpdate();
    await interaction.deleteOriginal();
  },
  string: (interaction) => interaction.editParent({ content: `string ${interaction.data.values.getStrings().join()}` }),
  user: (interaction) => interaction.reply({ content: `user ${interaction.data.values.getMembers()[0].username}` }),
  role: (interaction) => interaction.reply({ content: `role ${interaction.data.values.getRoles()[0].name}` }),
  mentionable(interaction) {
    const [user, role] = interaction.data.values.getMentionables();
    return interaction.reply({ content: `mentionable ${user.username} ${role.name}` });
  },
  channel: (interaction) => interaction.reply({ content: `channel ${interaction.data.values.getChannels()[0].name}` }),
  press: (interaction) => interaction.editParent({ components: [panel('Open')] }),
};

const MODAL_ANSWERS = {
  question(interaction) {
    const { components } = interaction.data;
    return interaction.editParent({
      content: `because ${components.getTextInput('why')}${components.getTextInput('more') ?? ''}`,
    });
  },
  report(interaction) {
    const { components } = interaction.data;
    const [who] = components.getUserSelectValues('who', true);
    const how = components.getStringSelectValues('how', true).join();
    return interaction.reply({ content: `${components.getTextInput('what')} ${who.username} ${how}` });
  },
};

function answer(interaction) {
  if (interaction.isAutocompleteInteraction()) {
    const typed = interaction.data.options.getFocused(true).value;
    return interaction.result([{ name: `${typed}!`, value: typed.toUpperCase() }]);
  }
  if (interaction.isCommandInteraction()) return COMMAND_ANSWERS[interaction.data.name](interaction);
  if (interaction.isModalSubmitInteraction()) return MODAL_ANSWERS[interaction.data.customID](interaction);
  return COMPONENT_ANSWERS[interaction.data.customID](interaction);
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

client.on('error', fail);
client.on('interactionCreate', (interaction) => {
  const { name, customID = name } = interaction.data;
  answer(interaction).then(() => console.log(customID), fail);
});
client.once('ready', () => register().then(() => console.log('online'), fail));
await client.connect();
