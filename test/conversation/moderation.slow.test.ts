import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { createApplication, createGuild, install, invite, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { type RunningProgram, startProgram } from './programs.js';

/**
 * Programs of stock libraries that moderate a server. Each compares the events with REST responses and reports success
 * at the end.
 */
const BOTS = {
  'discord.js': [process.execPath, 'bots/moderation/discord_js.js'],
  'oceanic.js': [process.execPath, 'bots/moderation/oceanic.js'],
  eris: [process.execPath, 'bots/moderation/eris.js'],
  'discord.py': [PYTHON, 'bots/moderation/discord_py.py'],
} as const;

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

let server: TestServer;
let ada: Person;
let running: RunningProgram | undefined;

beforeAll(async () => {
  server = await startServer({ jobs: true });
  ada = await signUp(server, 'ada');
});
afterEach(() => running?.stop());
afterAll(() => server.stop());

describe('a stock bot moderates a server', () => {
  for (const [index, [library, [program, script]]] of Object.entries(BOTS).entries()) {
    const missing = library === 'discord.py' ? noDiscordPy : null;
    it.skipIf(missing)(needing(missing, library), async () => {
      const guild = await createGuild(ada, 'Harbour');
      const grace = await signUp(server, `grace${index}`);
      await invite(ada, guild, grace);
      const bot = await createApplication(ada, `Bot of ${library}`.slice(0, 32));
      await install(ada, bot, guild, { permissions: String(ALL_PERMISSIONS) });
      const env = {
        API_URL: `${server.origin}/api`,
        BOT_TOKEN: bot.botToken,
        GUILD_ID: guild.id,
        MEMBER_ID: grace.id,
        PICTURE,
      };
      running = await startProgram({ program, script, env });
      await running.says('moderated');
      const { db } = server.app;
      const id = BigInt(guild.id);
      expect(await db.reader.guild.findUniqueOrThrow({ where: { id } })).toMatchObject({ name: 'Moderated' });
      expect(await db.reader.member.count({ where: { guildId: id } })).toBe(2);
      expect(await db.reader.ban.count({ where: { guildId: id } })).toBe(0);
    });
  }
});
