// A bot with a slash command, with stock discord.js. It offers choices while a user types, and responds with buttons
// and a modal.
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  Events,
  GatewayIntentBits,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';

const DISHES = ['Bean soup', 'Dumplings', 'Lentil curry', 'Onion tart', 'Potato soup'];

const lunch = new SlashCommandBuilder()
  .setName('lunch')
  .setDescription('Ask who is joining you for lunch')
  .addStringOption((option) =>
    option.setName('dish').setDescription('Dish on the menu').setRequired(true).setAutocomplete(true).setMaxLength(50),
  );

const buttons = new ActionRowBuilder().addComponents(
  new ButtonBuilder().setCustomId('join').setLabel('Me too').setStyle(ButtonStyle.Primary),
  new ButtonBuilder().setCustomId('wish').setLabel('Make a wish').setStyle(ButtonStyle.Secondary),
);

const wish = new ModalBuilder()
  .setCustomId('wish')
  .setTitle('A wish for the kitchen')
  .addComponents(
    new ActionRowBuilder().addComponents(
      new TextInputBuilder().setCustomId('text').setLabel('Your wish').setStyle(TextInputStyle.Short),
    ),
  );

function offerDishes(interaction) {
  const typed = interaction.options.getFocused().toLowerCase();
  const fitting = DISHES.filter((dish) => dish.toLowerCase().includes(typed));
  return interaction.respond(fitting.map((dish) => ({ name: dish, value: dish })));
}

function answer(interaction) {
  if (interaction.isAutocomplete()) return offerDishes(interaction);
  if (interaction.isChatInputCommand()) {
    const dish = interaction.options.getString('dish', true);
    return interaction.reply({ content: `${dish}: ${interaction.user.username}`, components: [buttons] });
  }
  if (interaction.isModalSubmit()) {
    const content = `Sent to the kitchen: ${interaction.fields.getTextInputValue('text')}`;
    return interaction.reply({ content, flags: MessageFlags.Ephemeral });
  }
  if (interaction.isButton() && interaction.customId === 'wish') return interaction.showModal(wish);
  if (interaction.isButton()) return interaction.update(`${interaction.message.content}, ${interaction.user.username}`);
}

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: process.env.API_URL ?? 'http://localhost:4000/api' },
});

client.on(Events.InteractionCreate, async (interaction) => {
  await answer(interaction);
});

client.once(Events.ClientReady, async ({ user, application, guilds }) => {
  const command = await application.commands.create(lunch);
  console.log(
    `${user.username} is online in ${guilds.cache.size} server(s); its command /lunch has the ID ${command.id}`,
  );
  console.log('At first, only the server owner can run it. README.md in this folder shows how to allow it for others.');
});

await client.login(process.env.BOT_TOKEN);
