import { startBot } from './bot.js';

const { DISCORD_TOKEN: token, DISCORD_API_URL: api } = process.env;
if (!token) throw new Error('Set DISCORD_TOKEN, or run the bot in a sandbox with `npm run dev`.');

const bot = await startBot({ token, api });
console.log(`${bot.user.username} is ready.`);
