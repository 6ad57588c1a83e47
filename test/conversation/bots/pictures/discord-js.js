// Prints the URL of the bot's avatar in stock discord.js.
import { Client, Events } from 'discord.js';

const client = new Client({ intents: [], rest: { api: process.env.API_URL, cdn: process.env.CDN_URL } });
client.once(Events.ClientReady, ({ user }) => console.log(`picture ${user.displayAvatarURL()}`));
await client.login(process.env.BOT_TOKEN);
