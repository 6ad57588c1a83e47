import { Client, Events, GatewayIntentBits } from 'discord.js';

/** A bot as its author would write it: a reminder is a timer of a day. */
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: process.env.DISCORD_API_URL } });

client.on(Events.InteractionCreate, async (interaction) => {
  setTimeout(() => interaction.channel.send('Time for lunch!'), 24 * 60 * 60 * 1000);
  await interaction.reply('Tomorrow.');
});
client.once(Events.ClientReady, async () => {
  await client.application.commands.set([{ name: 'remind', description: 'Reminds the channel tomorrow' }]);
  console.log('ready');
});
await client.login(process.env.DISCORD_TOKEN);
