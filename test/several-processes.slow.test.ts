import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Events, GatewayIntentBits, type Message } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { throwAwayDatabase } from './harness/databases.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from './harness/people.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { startServer, type TestServer } from './harness/server.js';
import { update } from './harness/settings.js';
import { needing } from './harness/skipping.js';
import { socketClient, subscribe } from './harness/sockets.js';
import { createTeam, renameTeam } from './harness/teams.js';

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(needing(missing, 'two processes share a database and a Redis'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let dataDir: string;
  let first: TestServer;
  let second: TestServer;
  let ada: Person;
  let bot: MadeApplication;
  let guild: MadeGuild;

  beforeAll(async () => {
    database = await throwAwayDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-shared-'));
    const env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
    [first, second] = await Promise.all([startServer({ env }), startServer({ env })]);
    ada = await signUp(first, 'ada');
    bot = await createApplication(ada);
    guild = await createGuild(ada);
    await install(ada, bot, guild);
  });
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('and show a user on one process the changes that another user makes on the other', async () => {
    const team = await createTeam(ada, 'Otters');
    const client = socketClient(second, { token: ada.token });
    try {
      const query = 'subscription ($id: ID!) { teamChanged(teamId: $id) { name } }';
      const changes = await subscribe(client, query, { id: team.id });
      await renameTeam(ada, team, 'Badgers');
      expect((await changes.next()).data.teamChanged.name).toBe('Badgers');
      await ada.graphql('mutation ($i: TeamIdInput!) { deleteTeam(input: $i) { id } }', { i: { teamId: team.id } });
      expect((await changes.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    } finally {
      await client.dispose();
    }
  });

  it('and show a user on one process their own changes on the other', async () => {
    const client = socketClient(second, { token: ada.token });
    try {
      const changes = await subscribe(client, 'subscription { portalHomeChanged { applications { id name } } }');
      const made = await createApplication(ada, 'Otter bot');
      const { applications } = (await changes.next()).data.portalHomeChanged;
      expect(applications.at(-1)).toEqual({ id: made.id, name: 'Otter bot' });
      await update(ada, made.id, { name: 'Badger bot' });
      expect((await changes.next()).data.portalHomeChanged.applications.at(-1).name).toBe('Badger bot');
    } finally {
      await client.dispose();
    }
  });

  it('and lease different snowflake workers', () => {
    const workerOf = (id: bigint) => (id >> 12n) & 1023n;
    const workers = [first, second].map((server) => workerOf(server.app.nextId()));
    expect(new Set(workers).size).toBe(2);
    expect(workers.every((worker) => worker >= 1n && worker <= 255n)).toBe(true);
  });

  it('and deliver a message that was sent to one to a bot on the other, and accept sessions of either', async () => {
    const client = new Client({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
      rest: { api: `${second.origin}/api` },
    });
    const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
    const heard = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve));
    await client.login(bot.botToken);
    await ready;
    await ada.graphql('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }', {
      input: { channelId: guild.textChannelId, content: 'from the first' },
    });
    expect((await heard).content).toBe('from the first');
    await client.destroy();
    const answer = await fetch(`${second.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({ query: '{ me { username } }' }),
    });
    expect(await answer.json()).toEqual({ data: { me: { username: 'ada' } } });
  });

  it('and drop a bot token that was reset at the other', async () => {
    const ask = () =>
      fetch(`${second.origin}/api/v10/users/@me`, { headers: { authorization: `Bot ${bot.botToken}` } });
    expect((await ask()).status).toBe(200);
    const heard = new Promise<void>((resolve) => {
      const subscription = second.app.bus.subscribe(`application:${bot.id}`, () => {
        subscription.close();
        resolve();
      });
      subscription.ready.then(() =>
        ada.graphql('mutation ($input: ApplicationIdInput!) { resetBotToken(input: $input) { botToken } }', {
          input: { applicationId: bot.id },
        }),
      );
    });
    await heard;
    expect((await ask()).status).toBe(401);
  });
});
