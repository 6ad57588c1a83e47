import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  ModalBuilder,
  PermissionFlagsBits,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';

/** A bot as its author would write it, with stock discord.js. */
const DISHES = ['Onion tart', 'Omelette', 'Ratatouille'];

const commands = [
  new SlashCommandBuilder()
    .setName('lunch')
    .setDescription('Suggest a dish')
    .addStringOption((option) => option.setName('dish').setDescription('What').setRequired(true).setAutocomplete(true)),
  new SlashCommandBuilder().setName('order').setDescription('Order with a form'),
  new SlashCommandBuilder().setName('secret').setDescription('Only for you'),
  new SlashCommandBuilder().setName('bake').setDescription('Takes a while'),
  new SlashCommandBuilder()
    .setName('mute')
    .setDescription('Time a member out')
    .addUserOption((option) => option.setName('member').setDescription('Whom').setRequired(true)),
  new SlashCommandBuilder()
    .setName('clear')
    .setDescription('Delete messages')
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageMessages),
];

export async function startKitchenBot({
  token,
  api,
  ...options
}: { token: string; api: string } & Partial<ClientOptions>) {
  const { Guilds, GuildMessages, MessageContent, GuildMembers } = GatewayIntentBits;
  const intents = [Guilds, GuildMessages, MessageContent, GuildMembers];
  const client = new Client({ intents, ...options, rest: { api, ...options.rest } });
  client.on(Events.MessageCreate, (message) => {
    if (message.content === 'ping') void message.reply('pong');
  });
  client.on(
    Events.InteractionCreate,
    (interaction) => void answer(interaction).catch((error) => client.emit('error', error)),
  );
  client.on(Events.Error, () => {});
  await client.login(token);
  if (!client.isReady()) await new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.application?.commands.set(commands);
  return client;
}

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused().toLowerCase();
    const found = DISHES.filter((dish) => dish.toLowerCase().includes(typed));
    await interaction.respond(found.map((name) => ({ name, value: name })));
  } else if (interaction.isChatInputCommand()) await command(interaction);
  else if (interaction.isButton()) {
    await interaction.update({ content: `${interaction.message.content}, ${interaction.user.username}` });
  } else if (interaction.isModalSubmit()) {
    await interaction.reply(`Ordered: ${interaction.fields.getTextInputValue('dish')}`);
  }
}

async function command(interaction: ChatInputCommandInteraction): Promise<void> {
  switch (interaction.commandName) {
    case 'lunch': {
      const button = new ButtonBuilder().setCustomId('join').setLabel('Me too').setStyle(ButtonStyle.Primary);
      const row = new ActionRowBuilder<ButtonBuilder>().addComponents(button);
      const content = `${interaction.options.getString('dish', true)}: ${interaction.user.username}`;
      await interaction.reply({ content, components: [row] });
      break;
    }
    case 'order': {
      const input = new TextInputBuilder().setCustomId('dish').setLabel('Dish').setStyle(TextInputStyle.Short);
      const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input);
      await interaction.showModal(new ModalBuilder().setCustomId('order').setTitle('Order').addComponents(row));
      break;
    }
    case 'secret':
      await interaction.reply({ content: 'psst', flags: MessageFlags.Ephemeral });
      break;
    case 'bake':
      await interaction.deferReply();
      await interaction.editReply('Baked.');
      break;
    case 'mute': {
      const member = await interaction.guild?.members.fetch(interaction.options.getUser('member', true).id);
      await member?.timeout(60_000);
      await interaction.reply(`${member?.user.username} is quiet.`);
      break;
    }
    default:
      break;
  }
}
