import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { codeOf } from '../../harness/graphql.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf, update } from '../../harness/settings.js';

let server: TestServer;
let owner: Person;
let grace: Person;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  grace = await signUp(server, 'grace');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
  await update(owner, application.id, { userInstall: true });
});

const INSTALL = `mutation ($input: InstallApplicationInput!) {
  installApplication(input: $input) { installation { id context scopes permissions application { id } } }
}`;
const UNINSTALL = `mutation ($input: InstallationIdInput!) { uninstallApplication(input: $input) { id } }`;

const ask = (input: object = {}) =>
  grace.ask(INSTALL, { input: { applicationId: application.id, scopes: ['applications.commands'], ...input } });
const uninstall = (person: Person, installationId: string) => person.ask(UNINSTALL, { input: { installationId } });
const rows = () => server.app.db.reader.installation.findMany({ where: { applicationId: BigInt(application.id) } });

describe('an installation to a user', () => {
  it('is stored and audited, without a bot and permissions', async () => {
    const { data } = await ask();
    expect(data.installApplication.installation).toMatchObject({
      context: 'USER',
      scopes: ['applications.commands'],
      permissions: '0',
      application: { id: application.id },
    });
    expect(await rows()).toMatchObject([{ userId: BigInt(grace.id), installerId: BigInt(grace.id), guildId: null }]);
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { applicationId: BigInt(application.id), action: 'INSTALLATION_PUT' },
    });
    expect(entries).toMatchObject([
      { actorId: BigInt(grace.id), targetId: BigInt(data.installApplication.installation.id) },
    ]);
  });

  it('exists once, even if ten are made at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    expect(await rows()).toHaveLength(1);
  });

  it('is separate for each user', async () => {
    await ask();
    await owner.graphql(INSTALL, { input: { applicationId: application.id, scopes: ['applications.commands'] } });
    expect(await rows()).toHaveLength(2);
  });

  it.each([
    ['the scope bot', { scopes: ['bot', 'applications.commands'] }, 'scopes'],
    ['scopes that install nothing', { scopes: ['identify'] }, 'scopes'],
    ['permissions', { permissions: '8' }, 'permissions'],
  ])('is refused with %s', async (_what, input, path) => {
    const answer = await ask(input);
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect(Object.keys(faultsOf(answer))).toEqual([path]);
    expect(await rows()).toEqual([]);
  });

  it('is refused if the application installs to servers only', async () => {
    await update(owner, application.id, { userInstall: false });
    expect(codeOf(await ask())).toBe('FORBIDDEN');
  });

  it('can be removed by that user only, once', async () => {
    const { id } = (await ask()).data.installApplication.installation;
    expect(codeOf(await uninstall(owner, id))).toBe('NOT_FOUND');
    const answers = await Promise.all(Array.from({ length: 5 }, () => uninstall(grace, id)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    expect(await rows()).toEqual([]);
    const where = { applicationId: BigInt(application.id), action: 'INSTALLATION_DELETE' };
    expect(await server.app.db.reader.auditEntry.count({ where })).toBe(1);
  });
});
