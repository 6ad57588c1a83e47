// Stock discord.js' ShardingManager, as README.md says: told how many shards there are, it asks nobody.
import { fileURLToPath } from 'node:url';
import { ShardingManager } from 'discord.js';

const script = fileURLToPath(new URL('bot.js', import.meta.url));
const manager = new ShardingManager(script, { token: process.env.BOT_TOKEN, totalShards: 2 });
await manager.spawn();
console.log('all online');
