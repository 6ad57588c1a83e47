import { describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { createApplication } from '../../../src/domain/applications/index.js';
import { createGuild, joinGuild } from '../../../src/domain/guilds/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import {
  findInstallation,
  loadConsentDetails,
  parseAuthorizationQuery,
  readAuthorizationRequest,
} from '../../../src/domain/oauth/index.js';
import type { Application, Guild } from '../../../src/infra/database/index.js';
import { type Caller, newCaller } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { putMembers } from '../../harness/rows.js';

let app: AppContext;
let ada: Caller;
let bob: Caller;
let application: Application;
let harbour: Guild;
let foreign: Guild;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
  const { id } = (await createApplication(bob.call, { name: 'Helper' })).application;
  application = await app.db.writer.application.update({ where: { id }, data: { userInstall: true } });
  harbour = await createGuild(ada.call, { name: 'harbour' });
  await createGuild(ada.call, { name: 'Dock' });
  foreign = await createGuild(bob.call, { name: 'Only a member here' });
  const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId: foreign.id } });
  await joinGuild(ada.call, (await createInvite(bob.call, channel.id)).code);
});

const factsFor = (query: object, { call } = ada) =>
  loadConsentDetails(call, readAuthorizationRequest(application, parseAuthorizationQuery(query)));

describe('the consent screen shows', () => {
  test('the bot, and the servers that the user manages, by name', async () => {
    const { bot, guilds } = await factsFor({ scope: 'bot' });
    expect(bot).toMatchObject({ id: application.id, bot: true });
    expect(guilds.map(({ name, box }) => [name, box])).toEqual([
      ['Dock', null],
      ['harbour', null],
    ]);
  });

  test('no servers if it offers no server install', async () => {
    expect((await factsFor({ scope: 'applications.commands', integration_type: '1' })).guilds).toEqual([]);
  });

  test('all servers of a user who has more than one page of them', async () => {
    const cleo = await newCaller(app, 'cleo');
    // Created directly, since the domain functions would take too long.
    const ids = Array.from({ length: 201 }, () => app.nextId());
    const { writer } = app.db;
    await writer.guild.createMany({ data: ids.map((id) => ({ id, name: `Guild ${id}`, ownerId: cleo.id })) });
    await putMembers(app, ids, [cleo.user]);
    expect((await factsFor({ scope: 'bot' }, cleo)).guilds.map(({ id }) => id)).toEqual(ids);
  });

  test('an error to anonymous callers', async () => {
    const nobody = { ...ada, call: callContext(app, { kind: 'anonymous' }) };
    expect(await outcome(factsFor({ scope: 'bot' }, nobody))).toBe('UNAUTHENTICATED');
  });
});

describe('an installation', () => {
  const find = (guildId: bigint | null, { call } = ada, applicationId = application.id) =>
    findInstallation(call, { applicationId, guildId });

  test("is found only in the caller's own servers and their own account", async () => {
    expect([await find(harbour.id), await find(null)]).toEqual([null, null]);
    const of = { applicationId: application.id };
    await installApplication(ada.call, { ...of, guildId: harbour.id, scopes: ['bot'], permissions: 2048n });
    await installApplication(bob.call, { ...of, guildId: foreign.id, scopes: ['bot'], permissions: 1024n });
    expect(await find(null)).toBeNull();
    await installApplication(ada.call, { ...of, scopes: ['applications.commands'] });
    expect(await find(harbour.id)).toMatchObject({
      application: { id: application.id },
      guild: { name: 'harbour' },
      permissions: 2048n,
    });
    expect(await find(foreign.id)).toMatchObject({ guild: { name: 'Only a member here' }, permissions: 1024n });
    expect(await find(null)).toMatchObject({ guild: null, permissions: 0n });
    expect([await find(harbour.id, bob), await find(null, bob), await find(1n)]).toEqual([null, null, null]);
  });

  test('of an unknown application is not found', async () => {
    expect(await outcome(find(null, ada, 1n))).toBe('UNKNOWN_APPLICATION');
    const nobody = { ...ada, call: callContext(app, { kind: 'anonymous' }) };
    expect(await outcome(find(null, nobody))).toBe('UNAUTHENTICATED');
  });
});
