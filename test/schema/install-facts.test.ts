import { beforeEach, describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
  uninstall,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { statementsOf } from '../harness/statements.js';

let server: TestServer;
let ada: Person;
let bob: Person;
let application: MadeApplication;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
beforeEach(async () => {
  application = await createApplication(ada);
  guild = await createGuild(ada);
  await invite(ada, guild, bob);
  await install(ada, application, guild);
});

const installToSelf = (person: Person) =>
  person.graphql('mutation ($i: InstallApplicationInput!) { installApplication(input: $i) { installation { id } } }', {
    i: { applicationId: application.id, scopes: ['applications.commands'] },
  });
const own = async (shown: string) =>
  (await ada.graphql(`query ($id: ID!) { application(id: $id) { ${shown} } }`, { id: application.id })).application;
const met = async (shown: string) => {
  const query = `query ($id: ID!) { guild(id: $id) { installations { application { ${shown} } } } }`;
  return (await bob.graphql(query, { id: guild.id })).guild.installations[0].application;
};

describe('the install count of an application', () => {
  const COUNTS = 'serverCount userCount';

  it('counts servers and users', async () => {
    await update(ada, application.id, { userInstall: true });
    const second = await install(ada, application, await createGuild(ada));
    await installToSelf(ada);
    await installToSelf(bob);
    await install(ada, await createApplication(ada), guild);
    expect(await own(COUNTS)).toEqual({ serverCount: 2, userCount: 2 });
    await uninstall(ada, second);
    expect(await own(COUNTS)).toEqual({ serverCount: 1, userCount: 2 });
  });

  it('is 0 if the application is not installed', async () => {
    application = await createApplication(ada);
    expect(await own(COUNTS)).toEqual({ serverCount: 0, userCount: 0 });
  });

  it('is 0 for a user without a role', async () => {
    expect(await met(COUNTS)).toEqual({ serverCount: 0, userCount: 0 });
  });

  it('takes one statement, however many applications are listed', async () => {
    const cleo = await signUp(server, 'cleo');
    const list = (shown: string) => statementsOf(() => cleo.graphql(`{ applications { id ${shown} } }`));
    const lengths: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await install(cleo, await createApplication(cleo), await createGuild(cleo));
      lengths.push((await list(COUNTS)).length - (await list('')).length);
    }
    expect(lengths).toEqual([1, 1, 1]);
  });
});

describe('the default install settings', () => {
  const SERVER = { context: 'SERVER', scopes: ['bot'], permissions: '8' };
  const USER = { context: 'USER', scopes: ['applications.commands', 'identify'], permissions: null };
  const shownWith = (args: string) => `defaultInstallSettings${args} { context scopes permissions }`;
  beforeEach(async () => {
    const { permissions: _none, ...user } = USER;
    await update(ada, application.id, { userInstall: true, defaultInstallSettings: [SERVER, user] });
  });

  it.each<[object, object[], object[]]>([
    [{ userInstall: true, serverInstall: true }, [SERVER, USER], [SERVER, USER]],
    [{ userInstall: false }, [SERVER], [SERVER, USER]],
    [{ serverInstall: false }, [USER], [SERVER, USER]],
  ])('with %j are %j, and with all: true %j', async (contexts, settings, all) => {
    await update(ada, application.id, contexts);
    expect(await own(shownWith(''))).toEqual({ defaultInstallSettings: settings });
    expect(await own(shownWith('(all: false)'))).toEqual({ defaultInstallSettings: settings });
    expect(await own(shownWith('(all: true)'))).toEqual({ defaultInstallSettings: all });
  });

  it('are only those of enabled contexts for a user without a role, even with all: true', async () => {
    await update(ada, application.id, { userInstall: false });
    expect(await met(shownWith('(all: true)'))).toEqual({ defaultInstallSettings: [SERVER] });
  });
});
