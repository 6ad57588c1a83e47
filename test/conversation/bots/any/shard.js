// One shard of the bot that manager.js starts. It ends with manager.js.
import { Client } from 'discord.js';

process.once('disconnect', () => process.exit());

await new Client({ intents: [] }).login(process.env.DISCORD_TOKEN);
