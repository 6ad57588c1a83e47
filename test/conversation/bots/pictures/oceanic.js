// Prints the URL of the bot's avatar in stock oceanic.js.
import { Client, Routes } from 'oceanic.js';

Routes.CDN_URL = process.env.CDN_URL;
const client = new Client({ auth: `Bot ${process.env.BOT_TOKEN}`, rest: { baseURL: `${process.env.API_URL}/v10` } });
client.once('ready', () => console.log(`picture ${client.user.avatarURL()}`));
await client.connect();
