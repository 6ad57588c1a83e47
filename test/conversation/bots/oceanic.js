// The hello bot with stock oceanic.js.
import { Client } from 'oceanic.js';

const client = new Client({
  auth: `Bot ${process.env.BOT_TOKEN}`,
  gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'MESSAGE_CONTENT'] },
  rest: { baseURL: `${process.env.API_URL}/v10` },
});
client.on('ready', () => console.log('online'));
client.on('error', (error) => console.error(error));
client.on('messageCreate', async (message) => {
  if (message.author.bot) return;
  await message.createReaction('👋');
  await client.rest.channels.createMessage(message.channelID, {
    content: `Hello, ${message.author.username}!`,
    messageReference: { messageID: message.id },
  });
});
await client.connect();
