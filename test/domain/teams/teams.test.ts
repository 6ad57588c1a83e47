import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { operationForm, sendForm } from '../../harness/forms.js';
import { codeOf, type GraphqlAnswer, type Loose } from '../../harness/graphql.js';
import { createApplication, type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf } from '../../harness/settings.js';
import {
  addToTeam,
  askRole,
  askTeamUser,
  createTeam,
  type MadeTeam,
  teamOf,
  transferApplication,
} from '../../harness/teams.js';

let server: TestServer;
let owner: Person;
let admin: Person;
let developer: Person;
let stranger: Person;
let team: MadeTeam;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, admin, developer, stranger] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'admin'),
    signUp(server, 'developer'),
    signUp(server, 'stranger'),
  ]);
});
beforeEach(async () => {
  team = await createTeam(owner);
  await addToTeam(owner, team, admin, 'ADMIN');
  await addToTeam(owner, team, developer);
});

const CREATE = `mutation ($input: CreateTeamInput!) { createTeam(input: $input) { team { id name iconUrl } } }`;
const UPDATE = `mutation ($input: UpdateTeamInput!) { updateTeam(input: $input) { team { id name iconUrl } } }`;
const DELETE = `mutation ($input: TeamIdInput!) { deleteTeam(input: $input) { id } }`;

const square = (colour: string) =>
  sharp({ create: { width: 64, height: 32, channels: 4, background: colour } })
    .png()
    .toBuffer();

/** Sends a mutation with an icon in its input, by the GraphQL multipart request convention. */
function withIcon(person: Person, query: string, input: object, content: Buffer): Promise<GraphqlAnswer<Loose>> {
  const operation = { query, variables: { input: { ...input, icon: null } } };
  const file = { content: new Uint8Array(content), filename: 'icon.png', type: 'image/png' };
  return sendForm(server, person, operationForm(operation, [{ places: ['variables.input.icon'], ...file }]));
}

const rolesIn = async (made: MadeTeam, person = owner) =>
  Object.fromEntries((await teamOf(person, made)).members.map(({ user, role }: Loose) => [user.id, role]));

describe('a team', () => {
  it('can be created by any user, who then owns it', async () => {
    const made = await createTeam(stranger, '  Otters ');
    expect(await teamOf(stranger, made)).toEqual({
      id: made.id,
      name: 'Otters',
      iconUrl: null,
      owner: { id: stranger.id },
      members: [{ user: { id: stranger.id }, role: 'OWNER' }],
      invitations: [],
      applications: [],
    });
  });

  it.each(['a', '', ' a ', 'x'.repeat(33), 'a\u0000b'])('cannot be named %j', async (name) => {
    const made = await owner.ask(CREATE, { input: { name } });
    const renamed = await owner.ask(UPDATE, { input: { teamId: team.id, name } });
    for (const answer of [made, renamed]) expect(Object.keys(faultsOf(answer))).toEqual(['name']);
  });

  it('has names of 2 to 32 characters', async () => {
    for (const name of ['ab', '🦦'.repeat(32)]) {
      expect((await owner.ask(UPDATE, { input: { teamId: team.id, name } })).data.updateTeam.team.name).toBe(name);
    }
    const kept = await owner.ask(UPDATE, { input: { teamId: team.id, name: null } });
    expect(kept.data.updateTeam.team.name).toBe('🦦'.repeat(32));
  });

  it('is listed for its members only', async () => {
    const list = async (person: Person) => (await person.graphql('{ teams { id } }')).teams.map(({ id }: Loose) => id);
    expect(await list(developer)).toContain(team.id);
    expect(await list(stranger)).not.toContain(team.id);
  });

  it('serves its icon in three formats until it is replaced or removed', async () => {
    const first = await withIcon(admin, UPDATE, { teamId: team.id }, await square('#f00'));
    const url: string = first.data.updateTeam.team.iconUrl;
    expect(url).toMatch(new RegExp(`^${server.origin}/cdn/team-icons/${team.id}/[0-9a-f]{32}\\.png$`));
    for (const type of ['png', 'webp', 'jpg']) {
      const image = await fetch(url.replace('.png', `.${type}`));
      expect(image.status).toBe(200);
      const { width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
      expect([width, height]).toEqual([64, 64]);
    }
    expect((await fetch(url.replace('/team-icons/', '/app-icons/'))).status).toBe(404);
    const second = await withIcon(admin, UPDATE, { teamId: team.id, name: 'Otters' }, await square('#00f'));
    expect(second.data.updateTeam.team.iconUrl).not.toBe(url);
    expect((await fetch(url)).status).toBe(404);
    const none = await admin.ask(UPDATE, { input: { teamId: team.id, icon: null } });
    expect(none.data.updateTeam.team).toEqual({ id: team.id, name: 'Otters', iconUrl: null });
    expect((await fetch(second.data.updateTeam.team.iconUrl)).status).toBe(404);
  });

  it('can be created with an icon, and refuses invalid images', async () => {
    const made = await withIcon(owner, CREATE, { name: 'Otters' }, await square('#0f0'));
    expect((await fetch(made.data.createTeam.team.iconUrl)).status).toBe(200);
    for (const [query, input] of [
      [CREATE, { name: 'Otters' }],
      [UPDATE, { teamId: team.id }],
    ] as const) {
      expect(faultsOf(await withIcon(owner, query, input, Buffer.from('<svg/>')))).toEqual({ icon: ['IMAGE_INVALID'] });
    }
  });

  it('can be deleted by its owner, with its icon and members', async () => {
    const { data } = await withIcon(owner, UPDATE, { teamId: team.id }, await square('#ff0'));
    expect((await owner.ask(DELETE, { input: { teamId: team.id } })).data.deleteTeam.id).toBe(team.id);
    expect((await fetch(data.updateTeam.team.iconUrl)).status).toBe(404);
    expect(codeOf(await owner.ask('query ($id: ID!) { team(id: $id) { id } }', { id: team.id }))).toBe('NOT_FOUND');
    expect(codeOf(await owner.ask(DELETE, { input: { teamId: team.id } }))).toBe('NOT_FOUND');
  });

  it('cannot be deleted while it owns an application', async () => {
    const application = await createApplication(owner);
    await transferApplication(owner, application, team);
    expect(codeOf(await owner.ask(DELETE, { input: { teamId: team.id } }))).toBe('CONFLICT');
    await owner.graphql(`mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { id } }`, {
      input: { applicationId: application.id, name: application.name },
    });
    expect((await owner.ask(DELETE, { input: { teamId: team.id } })).errors).toEqual([]);
  });

  it('is either deleted or given an application if both happen at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await createTeam(owner);
      const application = await createApplication(owner);
      await Promise.allSettled([
        owner.ask(DELETE, { input: { teamId: own.id } }),
        transferApplication(owner, application, own),
      ]);
      const { db } = server.app;
      const row = await db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
      const left = await db.reader.team.count({ where: { id: BigInt(own.id) } });
      expect([row.ownerTeamId === null, row.ownerUserId === null]).toEqual([left === 0, left === 1]);
    }
  });
});

describe('a member', () => {
  it('can get another role from an admin, but never OWNER', async () => {
    expect((await askRole(admin, team, developer, 'READ_ONLY')).errors).toEqual([]);
    expect((await askRole(admin, team, developer, 'READ_ONLY')).errors).toEqual([]);
    expect(await rolesIn(team)).toEqual({ [owner.id]: 'OWNER', [admin.id]: 'ADMIN', [developer.id]: 'READ_ONLY' });
    expect(faultsOf(await askRole(owner, team, developer, 'OWNER'))).toEqual({ role: ['BASE_TYPE_CHOICES'] });
  });

  it('who is the owner keeps that role, and can neither leave nor be removed', async () => {
    for (const person of [owner, admin]) {
      expect(codeOf(await askRole(person, team, owner, 'DEVELOPER'))).toBe('FORBIDDEN');
      const { errors } = await askTeamUser(person, 'removeTeamMember', team, owner);
      expect(errors).toMatchObject([
        {
          message: 'The owner of a team cannot leave, be removed or get another role. Transfer ownership first.',
          extensions: { code: 'FORBIDDEN' },
        },
      ]);
    }
    expect((await rolesIn(team))[owner.id]).toBe('OWNER');
  });

  it('who leaves or is removed can no longer see the team', async () => {
    const left = await askTeamUser(developer, 'removeTeamMember', team, developer);
    expect(left.errors).toEqual([]);
    expect((await askTeamUser(owner, 'removeTeamMember', team, admin)).errors).toEqual([]);
    for (const person of [developer, admin]) {
      expect(codeOf(await person.ask('query ($id: ID!) { team(id: $id) { id } }', { id: team.id }))).toBe('NOT_FOUND');
    }
    expect(await rolesIn(team)).toEqual({ [owner.id]: 'OWNER' });
  });

  it.each(['removeTeamMember', 'transferTeamOwnership'] as const)('must exist for %s', async (what) => {
    expect(codeOf(await askTeamUser(owner, what, team, stranger))).toBe('NOT_FOUND');
    expect(codeOf(await askTeamUser(owner, what, team, { id: '1' }))).toBe('NOT_FOUND');
  });

  it('must exist to get another role', async () => {
    expect(codeOf(await askRole(owner, team, stranger, 'ADMIN'))).toBe('NOT_FOUND');
  });
});

describe('the ownership of a team', () => {
  it('can be transferred to a member, and the previous owner becomes an admin', async () => {
    const { data } = await askTeamUser(owner, 'transferTeamOwnership', team, developer);
    expect(data.transferTeamOwnership.team.owner.id).toBe(developer.id);
    const roles = { [owner.id]: 'ADMIN', [admin.id]: 'ADMIN', [developer.id]: 'OWNER' };
    expect(await rolesIn(team, developer)).toEqual(roles);
    expect(codeOf(await askTeamUser(owner, 'transferTeamOwnership', team, owner))).toBe('FORBIDDEN');
    expect((await askTeamUser(owner, 'removeTeamMember', team, owner)).errors).toEqual([]);
  });

  it('cannot be transferred to the owner', async () => {
    expect(codeOf(await askTeamUser(owner, 'transferTeamOwnership', team, owner))).toBe('CONFLICT');
  });

  it('goes to one of two members if it is transferred twice at the same time', async () => {
    const answers = await Promise.all([
      askTeamUser(owner, 'transferTeamOwnership', team, admin),
      askTeamUser(owner, 'transferTeamOwnership', team, developer),
    ]);
    expect(answers.map((answer) => codeOf(answer) ?? 'done').sort()).toEqual(['FORBIDDEN', 'done']);
  });
});

describe('the audit log', () => {
  it('has an entry for each change of the team', async () => {
    await admin.graphql(UPDATE, { input: { teamId: team.id, name: 'Otters' } });
    await admin.graphql(UPDATE, { input: { teamId: team.id, name: 'Otters' } });
    await askRole(admin, team, developer, 'ADMIN');
    await askTeamUser(owner, 'transferTeamOwnership', team, admin);
    await askTeamUser(admin, 'removeTeamMember', team, developer);
    await askTeamUser(owner, 'removeTeamMember', team, owner);
    await admin.graphql(DELETE, { input: { teamId: team.id } });
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { teamId: BigInt(team.id), action: { not: { startsWith: 'TEAM_INVITATION' } } },
      orderBy: { id: 'asc' },
    });
    expect(
      entries.map(({ action, actorId, targetId, changes }) => [action, `${actorId}`, `${targetId}`, changes]),
    ).toEqual([
      ['TEAM_CREATE', owner.id, team.id, { name: 'Builders' }],
      ['TEAM_UPDATE', admin.id, team.id, { name: { old: 'Builders', new: 'Otters' } }],
      ['TEAM_MEMBER_UPDATE', admin.id, developer.id, { role: { old: 'DEVELOPER', new: 'ADMIN' } }],
      ['TEAM_TRANSFER_OWNERSHIP', owner.id, admin.id, { ownerUserId: { old: owner.id, new: admin.id } }],
      ['TEAM_MEMBER_REMOVE', admin.id, developer.id, { role: 'ADMIN' }],
      ['TEAM_MEMBER_LEAVE', owner.id, owner.id, { role: 'ADMIN' }],
      ['TEAM_DELETE', admin.id, team.id, { name: 'Otters' }],
    ]);
  });
});
