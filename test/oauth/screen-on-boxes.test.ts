import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BoxClientRef } from '../../src/domain/boxes/index.js';
import type { BoxGuild } from '../../src/infra/database/index.js';
import { BoxesInMemory, putBox, putBoxGuild } from '../harness/box-guilds.js';
import { eventually } from '../harness/jobs.js';
import { createApplication, type MadeApplication, type Person, signUp, uninstall } from '../harness/people.js';
import { formIn, Visitor } from '../harness/screen.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let browser: Visitor;
let client: MadeApplication;
let boxes: BoxesInMemory;
let attic: BoxGuild;

beforeAll(async () => {
  server = await startServer({ jobs: true });
  ada = await signUp(server, 'ada');
  browser = new Visitor(server, ada);
});
beforeEach(async () => {
  boxes = new BoxesInMemory();
  const { app } = server;
  if (app.boxes instanceof BoxClientRef) app.boxes.set(boxes);
  client = await createApplication(ada, 'Client');
  attic = await putBoxGuild(app, await putBox(app, { id: BigInt(ada.id) }, { isConnected: true }));
});
afterAll(() => server.stop());

const address = () =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: client.id, scope: 'bot applications.commands', permissions: '2048', guild_id: String(attic.id) })}`;

const open = async () => formIn(await browser.get(address()), '/oauth2/authorize');

const installations = () => server.app.db.reader.installation.findMany({ where: { guildId: attic.id } });

const hasBot = () => boxes.has(attic.id, BigInt(client.id));

describe('the consent screen for a self-hosted server', () => {
  test('preselects the server of the link and installs there', async () => {
    const form = await open();
    expect(form.fields).toContainEqual(['guild_id', String(attic.id)]);
    const { status, location } = await browser.send(form, { decision: 'authorize' });
    expect({ status, location }).toEqual({ status: 303, location: expect.stringContaining('/oauth2/authorized?') });
    expect((await browser.get(location ?? '')).html).toContain('was added to <bdi>Attic</bdi>');
    expect(hasBot()).toBe(true);
    const [installed] = await installations();
    await uninstall(ada, String(installed?.id));
    await eventually(() => expect(hasBot()).toBe(false));
  });

  test('reports that the box is offline, and keeps the choice', async () => {
    const form = await open();
    boxes.isAway = true;
    const refused = await browser.send(form, { decision: 'authorize' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.html).toContain('This server cannot be reached at the moment');
    expect(await installations()).toEqual([]);
    boxes.isAway = false;
    const again = await browser.send(formIn(refused, '/oauth2/authorize'), { decision: 'authorize' });
    expect(again.status).toBe(303);
    expect(hasBot()).toBe(true);
  });

  test('reports that nothing can be installed without the bot', async () => {
    const refused = await browser.send(await open(), { decision: 'authorize', scopes: 'applications.commands' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('Commands are not available on self-hosted servers');
  });
});

describe('installApplication of the portal', () => {
  const INSTALL = `mutation ($input: InstallApplicationInput!) {
    installApplication(input: $input) { installation { permissions context } }
  }`;
  const ask = (person: Person) =>
    person.ask(INSTALL, {
      input: { applicationId: client.id, guildId: String(attic.id), scopes: ['bot'], permissions: '2048' },
    });

  test('installs to a self-hosted server of the caller, and does not find those of others', async () => {
    const bob = await signUp(server, 'bob');
    expect((await ask(bob)).errors[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    const { data } = await ask(ada);
    expect(data.installApplication.installation).toEqual({ permissions: '2048', context: 'SERVER' });
  });

  test('reports that the box is offline', async () => {
    boxes.isAway = true;
    expect((await ask(ada)).errors[0]?.message).toContain('This server cannot be reached at the moment');
    expect(await installations()).toEqual([]);
  });
});
