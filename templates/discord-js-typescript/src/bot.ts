import { once } from 'node:events';
import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import * as lunch from './commands/lunch.js';

export interface BotOptions {
  token: string;
  /** The base address of the REST API. Default: Discord's. */
  api?: string | undefined;
}

/** Resolves when the bot is connected and its commands are registered. */
export async function startBot({ token, api }: BotOptions): Promise<Client<true>> {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], ...(api ? { rest: { api } } : {}) });
  client.on(Events.InteractionCreate, (interaction) => void answer(interaction).catch(console.error));
  const ready = once(client, Events.ClientReady);
  await client.login(token);
  await ready;
  if (!client.isReady()) throw new Error('The bot is not connected.');
  await client.application.commands.set([lunch.command]);
  return client;
}

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand() && interaction.commandName === lunch.command.name) await lunch.run(interaction);
  if (interaction.isButton() && interaction.customId === lunch.JOIN) await lunch.join(interaction);
}
