import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteApplication } from '../../../../src/domain/applications/index.js';
import { leaveGuild } from '../../../../src/domain/guilds/index.js';
import { installApplication, uninstallApplication } from '../../../../src/domain/installations/index.js';
import { invokeCommand } from '../../../../src/domain/interactions/index.js';
import type { Prisma } from '../../../../src/infra/database/index.js';
import { putCommand } from '../../../harness/command-rows.js';
import { startEndpoint } from '../../../harness/endpoint.js';
import { putAnswered, putInteraction, type StoredInteraction } from '../../../harness/interaction-rows.js';
import { ANSWERS, hearStates, kindsOfSteps, rowOf } from '../../../harness/interactions.js';
import { between, meanwhile, noPostgres } from '../../../harness/interleave.js';
import { outcome } from '../../../harness/outcome.js';
import { ask, type RestRequest } from '../../../harness/rest.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { needing } from '../../../harness/skipping.js';
import { callOf, createBot, createGuild } from '../../../harness/world.js';
import { openScene, type Scene } from '../scene.js';

let server: TestServer;
let scene: Scene;
let guildInstall: bigint;
beforeAll(async () => {
  server = await startServer({ env: { ALLOW_PRIVATE_ENDPOINTS: 'on' } });
});
beforeEach(async () => {
  scene = await openScene(server);
  await alterApplication({ userInstall: true });
  guildInstall = await installationOf({ guildId: scene.guild.id });
});
afterAll(() => server.stop());

const alterApplication = (data: Prisma.ApplicationUncheckedUpdateInput) =>
  server.app.db.writer.application.update({ where: { id: scene.bot.id }, data });

async function installationOf(where: Prisma.InstallationWhereInput): Promise<bigint> {
  const found = await server.app.db.reader.installation.findFirstOrThrow({
    where: { applicationId: scene.bot.id, ...where },
  });
  return found.id;
}

async function installToOwner(): Promise<bigint> {
  const { id } = await installApplication(scene.owner, {
    applicationId: scene.bot.id,
    scopes: ['applications.commands'],
  });
  return id;
}

const uninstall = (id = guildInstall) => uninstallApplication(scene.owner, id);

const put = (facts: Partial<Prisma.InteractionUncheckedCreateInput> = {}) => putInteraction(server.app, scene, facts);

const restingOn = (...installs: ('guild' | 'owner')[]) => ({
  owners: {
    ...(installs.includes('guild') ? { guildId: String(scene.guild.id) } : {}),
    ...(installs.includes('owner') ? { userId: String(scene.guild.owner.id) } : {}),
  },
});

const callback = ({ interaction: { id }, token }: StoredInteraction, json: object = ANSWERS[4]) =>
  ask(server, 'POST', `/interactions/${id}/${token}/callback`, { json });

const webhook = ({ token }: StoredInteraction, method: string, path = '', request: RestRequest = {}) =>
  ask(server, method, `/webhooks/${scene.bot.id}/${token}${path}`, request);

const OVER = { status: 404, body: { code: 10062 } };
const NO_TOKEN = { status: 401, body: { code: 50027 } };

const messages = () => server.app.db.reader.message.count({ where: { channelId: scene.guild.channel.id } });

describe.each<[string, () => Promise<unknown>]>([
  ['a guild', () => uninstall()],
  ['a guild that its bot leaves', () => leaveGuild(callOf(server.app, scene.bot.user), scene.guild.id)],
  [
    'everywhere, as it is deleted',
    async () => {
      const { name } = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: scene.bot.id } });
      await deleteApplication(callOf(server.app, scene.bot.owner), { applicationId: scene.bot.id, name });
    },
  ],
])('an application that is removed from %s', (_where, remove) => {
  it('I-32: can no longer respond', async () => {
    const open = await put();
    const { states, close } = await hearStates(scene, open.interaction);
    await remove();
    expect(await callback(open)).toMatchObject(OVER);
    expect(await rowOf(server, open.interaction)).toMatchObject({ state: 'FAILED', endsAt: null, callbackType: null });
    expect(await kindsOfSteps(server, open.interaction)).toEqual(['FAILED']);
    close();
    expect(states).toEqual(['FAILED']);
  });

  it('I-32: can no longer send, read, edit or delete messages with its tokens', async () => {
    const answered = await putAnswered(server.app, scene);
    const deferred = await put();
    await callback(deferred, ANSWERS[5]);
    const before = await messages();
    await remove();
    const json = { content: '@everyone' };
    for (const asked of [answered, deferred]) {
      expect(await webhook(asked, 'POST', '', { json })).toMatchObject(NO_TOKEN);
      expect(await webhook(asked, 'PATCH', '/messages/@original', { json })).toMatchObject(NO_TOKEN);
      expect(await webhook(asked, 'GET', '/messages/@original')).toMatchObject(NO_TOKEN);
      expect(await webhook(asked, 'DELETE', '/messages/@original')).toMatchObject(NO_TOKEN);
      expect(await callback(asked)).toMatchObject(OVER);
    }
    expect(await messages()).toBe(before);
    expect((await rowOf(server, answered.interaction)).state).toBe('ANSWERED');
    expect(await rowOf(server, deferred.interaction)).toMatchObject({ state: 'EXPIRED', endsAt: null });
  });
});

describe('an application that a user uninstalls from their account', () => {
  it('I-32: cannot respond to interactions through that installation alone', async () => {
    const id = await installToOwner();
    const [own, both] = [await put(restingOn('owner')), await put(restingOn('guild', 'owner'))];
    await uninstall(id);
    expect(await callback(own)).toMatchObject(OVER);
    expect((await callback(both)).status).toBe(204);
  });

  it('I-32: can respond until the last installation of the interaction is gone', async () => {
    const id = await installToOwner();
    const both = await put(restingOn('guild', 'owner'));
    const ofGuild = await put(restingOn('guild'));
    await uninstall();
    expect(await callback(ofGuild)).toMatchObject(OVER);
    expect((await callback(both)).status).toBe(204);
    await uninstall(id);
    expect(await webhook(both, 'POST', '', { json: { content: 'x' } })).toMatchObject(NO_TOKEN);
  });

  it.skipIf(noPostgres)(
    needing(noPostgres, 'I-32: returns nothing after the last two are deleted at once'),
    async () => {
      const id = await installToOwner();
      const both = await put(restingOn('guild', 'owner'));
      const first = /UPDATE "Interaction" SET\s+"tokenHash"/;
      const other = meanwhile(server.app, () => uninstall(id));
      await between(first, other.begin, () => uninstall());
      await other.done();
      expect(await callback(both)).toMatchObject(OVER);
    },
  );
});

it('I-32: interactions of another guild or application are not affected', async () => {
  const elsewhere = await createGuild(server.app);
  const { id: applicationId } = scene.bot;
  const install = { applicationId, scopes: ['applications.commands' as const], permissions: 0n };
  await installApplication(callOf(server.app, elsewhere.owner), { ...install, guildId: elsewhere.id });
  const stranger = await createBot(server.app);
  const kept = [
    await putInteraction(server.app, { bot: scene.bot, guild: elsewhere }),
    await putInteraction(server.app, { bot: stranger, guild: scene.guild }),
  ];
  await uninstall();
  for (const asked of kept) expect((await callback(asked)).status).toBe(204);
});

it('I-32: a new installation does not restore old tokens', async () => {
  const asked = await put();
  await uninstall();
  await installApplication(scene.owner, {
    applicationId: scene.bot.id,
    guildId: scene.guild.id,
    scopes: ['applications.commands'],
    permissions: 0n,
  });
  expect(await callback(asked)).toMatchObject(OVER);
});

it('I-5, I-32: a removal and a response at once have a complete response or none', async () => {
  for (let round = 0; round < 10; round += 1) {
    scene = await openScene(server);
    const asked = await put();
    const id = await installationOf({ guildId: scene.guild.id });
    const [removed, { status }] = await Promise.all([outcome(uninstall(id)), callback(asked)]);
    expect(removed).toBe('ok');
    expect([204, 404]).toContain(status);
    expect((await rowOf(server, asked.interaction)).state).toBe(status === 204 ? 'ANSWERED' : 'FAILED');
    expect(await messages()).toBe(status === 204 ? 1 : 0);
    expect(await webhook(asked, 'POST', '', { json: { content: 'x' } })).toMatchObject(NO_TOKEN);
  }
});

describe('an endpoint', () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  it('I-32: creates no message if its application is uninstalled before it answers', async () => {
    const answer = async () => {
      await uninstall();
      return { type: 4, data: { content: '@everyone' } };
    };
    const endpoint = await startEndpoint({ answer });
    opened.push(endpoint);
    const { publicKey } = await alterApplication({ interactionsEndpointUrl: endpoint.url });
    endpoint.trust(publicKey);
    const { id: commandId } = await putCommand(server.app, scene.bot.id);
    const { id: channelId } = scene.guild.channel;
    const sent = await invokeCommand(scene.owner, { channelId, commandId, options: [] });
    expect(sent).toMatchObject({ state: 'FAILED', failure: expect.stringContaining('uninstalled') });
    expect(await messages()).toBe(0);
  });
});
