import { afterAll, beforeAll, describe, expect, it as plain } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { createApplication, transferApplication } from '../../src/domain/applications/index.js';
import { createGuild } from '../../src/domain/guilds/index.js';
import { limits } from '../../src/domain/limits.js';
import { createTeam, transferTeamOwnership } from '../../src/domain/teams/index.js';
import type { User } from '../../src/infra/database/index.js';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { outcome } from '../harness/outcome.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { callOf } from '../harness/world.js';

let app: AppContext;
let owner: User;
it.beforeAll(({ server }) => {
  ({ app } = server);
});
it.beforeEach(async () => {
  owner = await createPerson(app);
});

const several = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const as = (user: User) => callOf(app, user);

describe('the number of objects that a user owns', () => {
  it('is limited: one more server is refused until one is deleted', async () => {
    const ids = several(limits.guildsPerOwner - 1, () => app.nextId());
    await app.db.writer.guild.createMany({ data: ids.map((id) => ({ id, name: 'many', ownerId: owner.id })) });
    const create = () => outcome(createGuild(as(owner), { name: 'Harbour' }));
    expect((await Promise.all([create(), create()])).sort()).toEqual(['LIMIT_EXCEEDED', 'ok']);
    await app.db.writer.guild.updateMany({ where: { id: ids[0] as bigint }, data: { deletedAt: new Date() } });
    expect(await create()).toBe('ok');
  });

  it('is limited: one more team is refused', async () => {
    const data = several(limits.teamsPerOwner - 1, () => ({ id: app.nextId(), name: 'many', ownerUserId: owner.id }));
    await app.db.writer.team.createMany({ data });
    const create = () => outcome(createTeam(as(owner), { name: 'Crew' }));
    expect((await Promise.all([create(), create()])).sort()).toEqual(['LIMIT_EXCEEDED', 'ok']);
  });

  it('is limited: one more application is refused, also in a team of theirs', async () => {
    const { id: teamId } = await createTeam(as(owner), { name: 'Crew' });
    const { application } = await createApplication(as(owner), { name: 'Heron' });
    const half = limits.applicationsPerOwner / 2;
    const { id: _id, ...columns } = await app.db.reader.application.findUniqueOrThrow({
      where: { id: application.id },
    });
    const copies = several(limits.applicationsPerOwner - 2, (n) => ({
      ...columns,
      ...(n < half ? {} : { ownerUserId: null, ownerTeamId: teamId }),
      id: app.nextId(),
      botTokenHash: `copy ${n} ${owner.id}`,
      serverInstallScopes: [],
      userInstallScopes: [],
      redirectUris: [],
    }));
    await app.db.writer.user.createMany({ data: copies.map(({ id }) => ({ id, username: 'copy', bot: true })) });
    await app.db.writer.application.createMany({ data: copies as never });
    const admin = await createPerson(app);
    const member = { teamId, userId: admin.id, role: 'ADMIN', joinedAt: new Date() } as const;
    await app.db.writer.teamMember.create({ data: member });
    const attempts = [
      outcome(createApplication(as(owner), { name: 'Heron' })),
      outcome(createApplication(as(admin), { name: 'Heron', teamId })),
    ];
    expect((await Promise.all(attempts)).sort()).toEqual(['LIMIT_EXCEEDED', 'ok']);
    const { application: own } = await createApplication(as(admin), { name: 'Their own' });
    const transfer = transferApplication(as(admin), { applicationId: own.id, teamId, appName: 'Their own' });
    expect(await outcome(transfer)).toBe('LIMIT_EXCEEDED');
    const handOver = () => outcome(transferTeamOwnership(as(owner), { teamId, userId: admin.id }));
    await app.db.writer.application.updateMany({ where: { ownerUserId: owner.id }, data: { ownerUserId: admin.id } });
    expect(await handOver()).toBe('LIMIT_EXCEEDED');
    await app.db.writer.application.updateMany({ where: { ownerUserId: admin.id }, data: { deletedAt: new Date() } });
    expect(await handOver()).toBe('ok');
  });
});

describe('the files of an account', () => {
  const clock = new ManualClock();
  let server: TestServer;
  let scene: Scene;
  beforeAll(async () => {
    server = await startServer({ clock, env: { FILES_PER_ACCOUNT_MB: '1' } });
    scene = await openScene(server);
  });
  afterAll(() => server.stop());

  plain('are refused beyond the bound; deleted files make room', async () => {
    const upload = (kilobytes: number) => {
      const file = { name: 'files[0]', content: Buffer.alloc(kilobytes * 1024), filename: 'a.bin' };
      return scene.bot.ask('POST', scene.messages, { form: formOf({ content: 'x' }, file) });
    };
    const first = await upload(600);
    expect(first.status).toBe(200);
    const refused = await upload(600);
    expect([refused.status, refused.body.code]).toEqual([400, 30000]);
    expect(refused.body.message).toContain('Delete messages with files');
    expect((await upload(300)).status).toBe(200);
    await scene.bot.ask('DELETE', `${scene.messages}/${first.body.id}`);
    expect((await upload(600)).status).toBe(400);
    clock.advance(30_000);
    expect((await upload(600)).status).toBe(200);
    expect((await upload(600)).status).toBe(400);
  });

  plain('count as 4 KiB each at least', async () => {
    const { fileQuota } = server.app;
    const accountId = server.app.nextId();
    await fileQuota.take(accountId, Array<number>(255).fill(1));
    await fileQuota.take(accountId, [1]);
    await expect(fileQuota.take(accountId, [1])).rejects.toThrow('1 MiB');
  });
});
