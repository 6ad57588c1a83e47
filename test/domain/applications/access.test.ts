import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callContext } from '../../../src/context.js';
import {
  accessApplication,
  accessSettings,
  applicationRole,
  visibleApplications,
} from '../../../src/domain/applications/access.js';
import { getOwnApplication } from '../../../src/domain/applications/own.js';
import type { CallContext } from '../../../src/domain/call.js';
import type { PortalRole } from '../../../src/domain/portal-permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createBot, createGuild, type TestBot } from '../../harness/world.js';

const ADA = 1n;
const GRACE = 2n;
const TEAM = 3n;

describe('the role of a user for an application', () => {
  test.each<[string, bigint | null, bigint | null, bigint | null, PortalRole | null, PortalRole | null]>([
    ['its owner', ADA, null, null, null, 'OWNER'],
    ['nothing to that of another', GRACE, null, null, null, null],
    ['nothing by a team that it is not of', GRACE, null, null, 'ADMIN', null],
    ['nothing by having transferred what is of no team', GRACE, null, ADA, null, null],
    ['its owner still, who transferred it', null, TEAM, ADA, 'READ_ONLY', 'OWNER'],
    ['what they are in its team', null, TEAM, GRACE, 'DEVELOPER', 'DEVELOPER'],
    ['nothing to that of a foreign team', null, TEAM, null, null, null],
  ])('%s', (_name, ownerUserId, ownerTeamId, transferredById, roleInTeam, expected) => {
    expect(applicationRole(ADA, { ownerUserId, ownerTeamId, transferredById }, roleInTeam)).toBe(expected);
  });
});

describe('an application', () => {
  let server: TestServer;
  let owner: User;
  let made: TestBot;
  beforeAll(async () => {
    server = await startServer();
  });
  beforeEach(async () => {
    owner = await createPerson(server.app);
    made = await createBot(server.app, { owner });
  });
  afterAll(() => server.stop());

  const person = (user: User) => callContext(server.app, { kind: 'person', user });
  const bot = ({ id, user }: TestBot) =>
    callContext(server.app, { kind: 'bot', user, applicationId: id, messageContentIntent: true });
  const deleteApplication = () =>
    server.app.db.writer.application.update({ where: { id: made.id }, data: { deletedAt: new Date() } });
  const seen = async (call: CallContext) => {
    const rows = await server.app.db.reader.application.findMany({ where: visibleApplications(call) });
    return rows.map(({ id }) => id);
  };

  async function giveToTeam(role: 'ADMIN' | 'DEVELOPER' | 'READ_ONLY') {
    const [head, colleague] = [await createPerson(server.app), await createPerson(server.app)];
    const id = server.app.nextId();
    const joinedAt = new Date();
    const members = [
      { userId: head.id, role: 'ADMIN' as const, joinedAt },
      { userId: colleague.id, role, joinedAt },
    ];
    const data = { id, name: 'Builders', ownerUserId: head.id, members: { createMany: { data: members } } };
    await server.app.db.writer.team.create({ data });
    await server.app.db.writer.application.update({
      where: { id: made.id },
      data: { ownerUserId: null, ownerTeamId: id, transferredById: owner.id },
    });
    return { head: person(head), colleague: person(colleague) };
  }

  test('is visible to its owner only, and to no user after it is deleted', async () => {
    const other = person(await createPerson(server.app));
    expect(await accessApplication(person(owner), made.id, 'delete')).toMatchObject({ id: made.id });
    expect(await outcome(accessApplication(other, made.id, 'view'))).toBe('UNKNOWN_APPLICATION');
    expect([await seen(person(owner)), await seen(other)]).toEqual([[made.id], []]);
    await deleteApplication();
    expect(await outcome(accessApplication(person(owner), made.id, 'view'))).toBe('UNKNOWN_APPLICATION');
    expect(await seen(person(owner))).toEqual([]);
  });

  test('of a team is accessible to the members by their roles and to the user who transferred it', async () => {
    const { head, colleague } = await giveToTeam('READ_ONLY');
    expect(await outcome(accessApplication(head, made.id, 'delete'))).toBe('ok');
    expect(await outcome(accessApplication(colleague, made.id, 'view'))).toBe('ok');
    expect(await outcome(accessApplication(colleague, made.id, 'updateSettings'))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(accessApplication(person(owner), made.id, 'delete'))).toBe('ok');
    for (const call of [head, colleague, person(owner)]) expect(await seen(call)).toEqual([made.id]);
  });

  test('can be configured by its developers and by its own bot', async () => {
    const { colleague } = await giveToTeam('DEVELOPER');
    expect(await accessSettings(bot(made), made.id)).toMatchObject({ id: made.id });
    expect(await outcome(accessSettings(colleague, made.id))).toBe('ok');
    expect(await outcome(accessSettings(bot(await createBot(server.app)), made.id))).toBe('FORBIDDEN');
    expect(await outcome(accessApplication(bot(made), made.id, 'view'))).toBe('FORBIDDEN');
    await deleteApplication();
    expect(await outcome(accessSettings(bot(made), made.id))).toBe('UNKNOWN_APPLICATION');
  });

  test('is returned to its bot with its install counts', async () => {
    const guilds = [await createGuild(server.app), await createGuild(server.app)];
    const common = { applicationId: made.id, installerId: owner.id, scopes: [] };
    await server.app.db.writer.installation.createMany({
      data: [
        ...guilds.map(({ id }) => ({ ...common, id: server.app.nextId(), context: 'SERVER' as const, guildId: id })),
        { ...common, id: server.app.nextId(), context: 'USER' as const, userId: owner.id },
      ],
    });
    expect(await getOwnApplication(bot(made))).toMatchObject({
      id: made.id,
      bot: { id: made.id },
      ownerUser: { id: owner.id },
      ownerTeam: null,
      installCounts: { server: 2, user: 1 },
    });
    expect((await getOwnApplication(bot(await createBot(server.app)))).installCounts).toEqual({ server: 0, user: 0 });
    expect(await outcome(getOwnApplication(person(owner)))).toBe('ONLY_BOTS');
    await deleteApplication();
    expect(await outcome(getOwnApplication(bot(made)))).toBe('UNKNOWN_APPLICATION');
  });
});
