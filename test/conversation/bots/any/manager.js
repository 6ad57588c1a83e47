// discord.js' ShardingManager that nobody told an address, nor how many shards there are, which it asks with the bot's token.
import { fileURLToPath } from 'node:url';
import { ShardingManager } from 'discord.js';

const script = fileURLToPath(new URL('shard.js', import.meta.url));
const manager = new ShardingManager(script, { token: process.env.BOT_TOKEN });
await manager.spawn();
console.log(`${manager.totalShards} online`);
