// A discord.js bot without a configured URL. It registers a command with a client of its own and prints the URL of its
// avatar.
import { REST } from '@discordjs/rest';
import { Client, Events, REST as RestOfLibrary, Routes } from 'discord.js';

const token = process.env.BOT_TOKEN;
const client = new Client({ intents: [] });
client.once(Events.ClientReady, async ({ user }) => {
  for (const [name, Rest] of Object.entries({ one: REST, two: RestOfLibrary })) {
    const rest = new Rest({ version: '10' }).setToken(token);
    await rest.post(Routes.applicationCommands(user.id), { body: { name, description: 'A command' } });
  }
  console.log(`picture ${user.displayAvatarURL()}`);
});
await client.login(token);
