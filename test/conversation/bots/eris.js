// The hello bot with stock eris. Eris speaks https only; this agent connects without TLS.
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Client } from 'eris';

const { hostname, port } = new URL(process.env.API_URL);
const agent = new Agent();
agent.createConnection = () => connect(Number(port), hostname);

const client = new Client(`Bot ${process.env.BOT_TOKEN}`, {
  intents: ['guilds', 'guildMessages', 'messageContent'],
  rest: { domain: hostname, agent },
});
client.on('ready', () => console.log('online'));
client.on('error', (error) => console.error(error));
client.on('messageCreate', async (message) => {
  if (message.author.bot) return;
  await message.addReaction('👋');
  await client.createMessage(message.channel.id, {
    content: `Hello, ${message.author.username}!`,
    messageReference: { messageID: message.id },
  });
});
await client.connect();
