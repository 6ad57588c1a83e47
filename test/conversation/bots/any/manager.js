// discord.js' ShardingManager without a configured URL or number of shards. It requests that number with the token of
// the bot.
import { fileURLToPath } from 'node:url';
import { ShardingManager } from 'discord.js';

const script = fileURLToPath(new URL('shard.js', import.meta.url));
const manager = new ShardingManager(script, { token: process.env.BOT_TOKEN });
await manager.spawn();
console.log(`${manager.totalShards} online`);
