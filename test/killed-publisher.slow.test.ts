import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setMemberRoles } from '../src/domain/members/index.js';
import { Permission } from '../src/domain/permissions.js';
import { createRole } from '../src/domain/roles/index.js';
import { ManualClock } from './harness/clock.js';
import { askGraphql } from './harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from './harness/people.js';
import { startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL, redisPrefixOf } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { permitEveryone } from './harness/rows.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { callOf, userOf } from './harness/world.js';

const missing = await missingForSeveralProcesses();
const DIE_AT_PUBLISH = pathToFileURL(join(import.meta.dirname, 'harness/die-at-publish.mjs')).href;

describe.skipIf(missing)(
  needing(missing, 'other processes notice unpublished changes of a killed process within a minute'),
  () => {
    let database: { url: string; drop(): Promise<void> } | null;
    let dataDir: string;
    let shared: Record<string, string>;
    let survivor: TestServer;
    let ada: Person;
    const clock = new ManualClock();

    beforeAll(async () => {
      database = await migratedDatabase();
      dataDir = await mkdtemp(join(tmpdir(), 'causeway-killed-publisher-'));
      shared = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
      survivor = await startServer({ env: shared, clock });
      ada = await signUp(survivor, 'ada');
    });
    afterAll(async () => {
      await survivor?.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    });

    const statusOf = async (bot: MadeApplication, path: string) =>
      (await ask(survivor, 'GET', path, { headers: { authorization: `Bot ${bot.botToken}` } })).status;

    /** Runs a mutation in another process, which dies between its commit and its first publication under this topic. */
    async function killedAt(topic: string, mutation: string, input: object): Promise<void> {
      const env = {
        ...shared,
        NODE_OPTIONS: `--import ${DIE_AT_PUBLISH}`,
        DIE_AT_PUBLISH: `^${redisPrefixOf(shared)}stream:${topic}:`,
      };
      const instance = await startInstance(env);
      const ended = new Promise((resolve) => instance.process.once('exit', (_code, signal) => resolve(signal)));
      const asked = askGraphql(instance, mutation, { input }, { authorization: `Bearer ${ada.token}` });
      await expect(asked).rejects.toThrow();
      expect(await ended).toBe('SIGKILL');
    }

    it('a permission that was removed, and a bot token that was reset', async () => {
      const { app } = survivor;
      const bot = await createApplication(ada);
      const guild = await createGuild(ada);
      const [guildId, userId] = [BigInt(guild.id), BigInt(bot.id)];
      await install(ada, bot, guild);
      const owner = callOf(app, await userOf(app, ada));
      const permissions = Permission.ViewChannel;
      const { id: roleId } = await createRole(owner, guildId, { name: 'sees', permissions });
      await setMemberRoles(owner, { guildId, userId, roleIds: [roleId] });
      await permitEveryone(app, guildId, 0n);
      const path = `/channels/${guild.textChannelId}`;
      const other = await createApplication(ada);
      const statuses = async () => [await statusOf(bot, path), await statusOf(other, '/users/@me')];
      expect(await statuses()).toEqual([200, 200]);
      // Only reads after all invalidations are cached. This one is.
      expect(await statuses()).toEqual([200, 200]);
      const setRoles = 'mutation ($input: SetMemberRolesInput!) { setMemberRoles(input: $input) { member { nick } } }';
      await killedAt('guild', setRoles, { guildId: guild.id, userId: bot.id, roleIds: [] });
      const reset = 'mutation ($input: ApplicationIdInput!) { resetBotToken(input: $input) { botToken } }';
      await killedAt('application', reset, { applicationId: other.id });
      expect(await app.db.reader.memberRole.count({ where: { guildId, userId, roleId } })).toBe(0);
      expect(await statuses()).toEqual([200, 200]);
      clock.advance(60_000);
      expect(await statuses()).toEqual([403, 401]);
    }, 120_000);
  },
);
