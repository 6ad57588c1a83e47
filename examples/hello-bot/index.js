// A stock discord.js bot. The URL of the API is its only setting for Causeway.
import { Client, Events, GatewayIntentBits } from 'discord.js';

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
  rest: { api: process.env.API_URL ?? 'http://localhost:4000/api' },
});

client.once(Events.ClientReady, ({ user, guilds }) => {
  console.log(`${user.username} is online in ${guilds.cache.size} server(s)`);
});

client.on(Events.MessageCreate, async (message) => {
  if (message.author.bot || !/\bhello\b/i.test(message.content)) return;
  await message.react('👋');
  await message.reply(`Hello, ${message.author.username}!`);
});

await client.login(process.env.BOT_TOKEN);
