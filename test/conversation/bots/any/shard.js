// One shard of the bot that manager.js starts; it ends when that does.
import { Client } from 'discord.js';

process.once('disconnect', () => process.exit());

await new Client({ intents: [] }).login(process.env.DISCORD_TOKEN);
