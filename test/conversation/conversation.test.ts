import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { subscribe } from '../harness/subscriptions.js';
import { type RunningProgram, startProgram } from './programs.js';

const BOTS = {
  'discord.js (the example)': [process.execPath, '../../examples/hello-bot/index.js'],
  'oceanic.js': [process.execPath, 'bots/oceanic.js'],
  eris: [process.execPath, 'bots/eris.js'],
  'discord.py': [PYTHON, 'bots/discord_py.py'],
} as const;

let server: TestServer;
let ada: Person;
let grace: Person;
let guild: MadeGuild;
let running: RunningProgram | undefined;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  grace = await signUp(server, 'grace');
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, grace);
});
afterEach(() => running?.stop());
afterAll(() => server.stop());

describe('a stock bot says hello', () => {
  for (const [library, [program, script]] of Object.entries(BOTS)) {
    const missing = library === 'discord.py' ? noDiscordPy : null;
    const tags = library === 'discord.py' ? ['slow'] : [];
    it.skipIf(missing)(needing(missing, library), { tags }, async () => {
      const bot = await createApplication(ada, `Bot of ${library}`.slice(0, 32));
      await install(ada, bot, guild);
      const events = await subscribe(server, grace, guild.textChannelId);
      const env = { API_URL: `${server.origin}/api`, BOT_TOKEN: bot.botToken };
      running = await startProgram({ program, script, env });

      const messageId = await sendMessage(grace, guild.textChannelId, 'hello');

      const reaction = await events.next((event) => event.type === 'MESSAGE_REACTION_ADD');
      expect(reaction.data).toMatchObject({ message_id: messageId, user_id: bot.id, emoji: { name: '👋' } });
      const answer = await events.next((event) => event.type === 'MESSAGE_CREATE' && event.data.author.bot === true);
      expect(answer.data).toMatchObject({
        content: 'Hello, grace!',
        author: { id: bot.id },
        referenced_message: { id: messageId },
      });
      await events.close();

      const { channel } = await grace.graphql(
        `query ($id: ID!) { channel(id: $id) { messages(last: 1) { edges { node {
          content author { id bot } referencedMessage { id } } } } } }`,
        { id: guild.textChannelId },
      );
      expect(channel.messages.edges[0].node).toEqual({
        content: 'Hello, grace!',
        author: { id: bot.id, bot: true },
        referencedMessage: { id: messageId },
      });
    });
  }
});
