// One shard of the bot that manager.js starts. It ends with manager.js.
import { Client, Events, GatewayIntentBits } from 'discord.js';

process.once('disconnect', () => process.exit());

const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: process.env.API_URL } });
client.once(Events.ClientReady, ({ guilds, shard }) => {
  console.log(`shard ${shard.ids} of ${shard.count} sees ${guilds.cache.size}`);
});
await client.login(process.env.DISCORD_TOKEN);
