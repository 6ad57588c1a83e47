// Stock discord.js' ShardingManager, with the number of shards set, so that it does not ask Discord.
import { fileURLToPath } from 'node:url';
import { ShardingManager } from 'discord.js';

const script = fileURLToPath(new URL('bot.js', import.meta.url));
const manager = new ShardingManager(script, { token: process.env.BOT_TOKEN, totalShards: 2 });
await manager.spawn();
console.log('all online');
