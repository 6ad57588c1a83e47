import {
  ActionRowBuilder,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  SlashCommandBuilder,
} from 'discord.js';

export const command = new SlashCommandBuilder()
  .setName('lunch')
  .setDescription('Ask who is joining you for lunch')
  .addStringOption((option) => option.setName('dish').setDescription('The dish on the menu').setRequired(true));

/** The custom ID of the button. */
export const JOIN = 'join';

export async function run(interaction: ChatInputCommandInteraction): Promise<void> {
  const join = new ButtonBuilder().setCustomId(JOIN).setLabel('Me too').setStyle(ButtonStyle.Primary);
  await interaction.reply({
    content: `${interaction.options.getString('dish', true)}: ${interaction.user.username}`,
    components: [new ActionRowBuilder<ButtonBuilder>().addComponents(join)],
  });
}

export async function join(interaction: ButtonInteraction): Promise<void> {
  await interaction.update(`${interaction.message.content}, ${interaction.user.username}`);
}
