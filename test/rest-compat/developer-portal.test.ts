import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import { ask } from '../harness/rest.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { acceptInvitation, pendingOf } from '../harness/teams.js';

let server: TestServer;
let owner: Person;
let grace: Person;
let application: MadeApplication;
let team: Loose;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, grace] = await Promise.all([signUp(server, 'owner'), signUp(server, 'grace')]);
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
  team = (await portal('POST', '/teams', { name: 'Builders' })).body;
});

const portal = (method: string, path: string, json?: object, person = owner) =>
  ask(server, method, `/developer-portal${path}`, {
    ...(json ? { json } : {}),
    headers: { authorization: `Bearer ${person.token}` },
  });
const ofTeam = (rest = '') => `/teams/${team.id}${rest}`;
const ofApplication = (rest: string) => `/applications/${application.id}${rest}`;

const memberOf = (person: Person, role: string, state: 1 | 2) => ({
  user: expect.objectContaining({ id: person.id, username: person.name }),
  team_id: team.id,
  membership_state: state,
  role,
  permissions: ['*'],
});

describe('200', () => {
  it('POST /teams creates a team, and GET returns and lists it', async () => {
    expect(team).toEqual({
      id: expect.stringMatching(/^\d{17,19}$/),
      name: 'Builders',
      icon: null,
      owner_user_id: owner.id,
      members: [memberOf(owner, 'admin', 2)],
    });
    expect((await portal('GET', ofTeam())).body).toEqual(team);
    const { status, body } = await portal('GET', '/teams');
    expect(status).toBe(200);
    expect(body.at(-1)).toEqual(team);
    expect((await portal('GET', '/teams', undefined, grace)).body).toEqual([]);
  });

  it('PATCH /teams/{id} changes name and icon, and keeps omitted fields', async () => {
    const background = '#5865f2';
    const png = await sharp({ create: { width: 16, height: 16, channels: 3, background } })
      .png()
      .toBuffer();
    const icon = `data:image/png;base64,${png.toString('base64')}`;
    const { body } = await portal('PATCH', ofTeam(), { icon });
    expect(body).toEqual({ ...team, icon: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect((await fetch(`${server.origin}/cdn/team-icons/${team.id}/${body.icon}.png`)).status).toBe(200);
    const renamed = await portal('PATCH', ofTeam(), { name: 'Otters' });
    expect(renamed.body).toEqual({ ...body, name: 'Otters' });
    expect((await portal('PATCH', ofTeam(), { icon: null })).body.icon).toBeNull();
  });

  it('PATCH /teams/{id} transfers the team to a member together with the other changes, or does nothing', async () => {
    await portal('POST', ofTeam('/members'), { email: grace.email, role: 'developer' });
    await acceptInvitation(grace, (await pendingOf(grace)).teams.at(-1)!);
    const outsider = await createPerson(server.app);
    const refused = await portal('PATCH', ofTeam(), { name: 'Otters', owner_user_id: String(outsider.id) });
    expect(refused).toMatchObject({ status: 404, body: { code: 10040 } });
    expect((await portal('PATCH', ofTeam(), { owner_user_id: 'x' })).body.errors).toHaveProperty('owner_user_id');
    expect((await portal('GET', ofTeam())).body).toMatchObject({ name: 'Builders', owner_user_id: owner.id });

    const { status, body } = await portal('PATCH', ofTeam(), { name: 'Otters', owner_user_id: grace.id });
    expect({ status, body }).toMatchObject({ status: 200, body: { name: 'Otters', owner_user_id: grace.id } });
    expect(body.members).toEqual([memberOf(owner, 'admin', 2), memberOf(grace, 'admin', 2)]);

    const asAdmin = await portal('PATCH', ofTeam(), { name: 'Badgers', owner_user_id: owner.id });
    expect(asAdmin).toMatchObject({ status: 403, body: { code: 50013 } });
    expect((await portal('GET', ofTeam())).body.name).toBe('Otters');
    const unchanged = { name: 'Badgers', owner_user_id: grace.id };
    expect(await portal('PATCH', ofTeam(), unchanged)).toMatchObject({ status: 200, body: unchanged });
  });

  it('POST members invites by e-mail; the invitee has state 1, and state 2 after accepting', async () => {
    const { status, body } = await portal('POST', ofTeam('/members'), { email: grace.email, role: 'read_only' });
    expect({ status, body }).toEqual({ status: 200, body: memberOf(grace, 'read_only', 1) });
    expect((await portal('GET', ofTeam('/members'))).body).toEqual([
      memberOf(owner, 'admin', 2),
      memberOf(grace, 'read_only', 1),
    ]);
    const { teams } = await pendingOf(grace);
    await acceptInvitation(grace, teams.at(-1)!);
    expect((await portal('GET', ofTeam('/members'), undefined, grace)).body.at(-1)).toEqual(
      memberOf(grace, 'read_only', 2),
    );
    const changed = await portal('PATCH', ofTeam(`/members/${grace.id}`), { role: 'developer' });
    expect(changed).toMatchObject({ status: 200, body: memberOf(grace, 'developer', 2) });
  });

  it('POST transfer returns the application', async () => {
    const { status, body } = await portal('POST', ofApplication('/transfer'), { team_id: team.id, app_name: 'Helper' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: application.id, team: { id: team.id }, owner: { id: team.id } });
    expectReference('PrivateApplicationResponse', body);
  });

  it('POST testers accepts an e-mail address or a user id; the owner is accepted immediately; GET lists them', async () => {
    const byEmail = await portal('POST', ofApplication('/testers'), { email: grace.email });
    expect(byEmail).toMatchObject({ status: 200, body: { user: { id: grace.id, username: 'grace' }, state: 1 } });
    const oneself = await portal('POST', ofApplication('/testers'), { user_id: owner.id });
    expect(oneself).toMatchObject({ status: 200, body: { user: { id: owner.id }, state: 2 } });
    const { body } = await portal('GET', ofApplication('/testers'));
    expect(body).toEqual([byEmail.body, oneself.body]);
    expect(Object.keys(byEmail.body)).toEqual(['user', 'state']);
    expect((await pendingOf(grace)).testers).toContain(application.id);
  });
});

describe('204', () => {
  it('DELETE /teams/{id} deletes the team', async () => {
    expect(await portal('DELETE', ofTeam())).toMatchObject({ status: 204, body: null });
    expect((await portal('GET', ofTeam())).status).toBe(404);
  });

  it('DELETE members/{user_id} revokes a pending invitation and removes a member', async () => {
    const pending = async () => (await pendingOf(grace)).teams.length;
    const before = await pending();
    await portal('POST', ofTeam('/members'), { email: grace.email, role: 'admin' });
    expect(await pending()).toBe(before + 1);
    expect(await portal('DELETE', ofTeam(`/members/${grace.id}`))).toMatchObject({ status: 204, body: null });
    expect(await pending()).toBe(before);
    await portal('POST', ofTeam('/members'), { email: grace.email, role: 'admin' });
    await acceptInvitation(grace, (await pendingOf(grace)).teams.at(-1)!);
    expect((await portal('DELETE', ofTeam(`/members/${grace.id}`))).status).toBe(204);
    expect((await portal('GET', ofTeam('/members'))).body).toEqual([memberOf(owner, 'admin', 2)]);
  });

  it('DELETE testers/{user_id} removes the tester', async () => {
    await portal('POST', ofApplication('/testers'), { user_id: grace.id });
    expect((await portal('DELETE', ofApplication(`/testers/${grace.id}`))).status).toBe(204);
    expect((await portal('GET', ofApplication('/testers'))).body).toEqual([]);
  });
});

describe('a request is 400', () => {
  it.each([
    ['a team without a name', 'POST', () => '/teams', {}, 'name', 'BASE_TYPE_REQUIRED'],
    ['a short name', 'POST', () => '/teams', { name: 'a' }, 'name', 'BASE_TYPE_BAD_LENGTH'],
    ['an icon that is none', 'PATCH', () => ofTeam(), { icon: 'x' }, 'icon', 'IMAGE_INVALID'],
    [
      'an invitation without a role',
      'POST',
      () => ofTeam('/members'),
      { email: 'a@b.c' },
      'role',
      'BASE_TYPE_REQUIRED',
    ],
    [
      'the role owner',
      'POST',
      () => ofTeam('/members'),
      { email: 'grace@people.example', role: 'owner' },
      'role',
      'BASE_TYPE_CHOICES',
    ],
    [
      'an unknown address',
      'POST',
      () => ofTeam('/members'),
      { email: 'nobody@people.example', role: 'admin' },
      'email',
      'EMAIL_UNKNOWN',
    ],
    [
      'another name at a transfer',
      'POST',
      () => ofApplication('/transfer'),
      { app_name: 'helper' },
      'app_name',
      'APPLICATION_NAME_MISMATCH',
    ],
    ['a transfer without a name', 'POST', () => ofApplication('/transfer'), {}, 'app_name', 'BASE_TYPE_REQUIRED'],
    ['a tester without an id', 'POST', () => ofApplication('/testers'), {}, 'user_id', 'BASE_TYPE_REQUIRED'],
    [
      "a tester's id that is none",
      'POST',
      () => ofApplication('/testers'),
      { user_id: 'x' },
      'user_id',
      'NUMBER_TYPE_COERCE',
    ],
  ])('for %s', async (_what, method, path, json, field, code) => {
    const body = path().endsWith('/transfer') ? { team_id: team.id, ...json } : json;
    const answer = await portal(method, path(), body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { [field]: { _errors: [{ code }] } } },
    });
  });

  it('for the 101st tester, with a limit code and a message that names the limit', async () => {
    const people = await Promise.all(Array.from({ length: 100 }, () => createPerson(server.app)));
    await server.app.db.writer.tester.createMany({
      data: people.map(({ id }) => ({ applicationId: BigInt(application.id), userId: id, createdAt: new Date() })),
    });
    const { status, body } = await portal('POST', ofApplication('/testers'), { user_id: grace.id });
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 30000, message: 'Maximum number of testers reached (100)' },
    });
  });
});

describe('a request is 404', () => {
  it('for a user who is neither a member nor invited', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { role: 'admin' } : undefined;
      const { status, body } = await portal(method, ofTeam(`/members/${grace.id}`), json);
      expect({ status, body }).toEqual({ status: 404, body: { message: 'Unknown Team Member', code: 10040 } });
    }
  });

  it('for a team of other users and for an unknown team', async () => {
    for (const id of [team.id, '1']) {
      const { status, body } = await portal('GET', `/teams/${id}`, undefined, grace);
      expect({ status, body }).toEqual({ status: 404, body: { message: 'Unknown Team', code: 10039 } });
    }
  });
});

describe('a request is 409', () => {
  it('for a second invitation and for an existing member', async () => {
    await portal('POST', ofTeam('/members'), { email: grace.email, role: 'admin' });
    for (const { email } of [grace, owner]) {
      expect((await portal('POST', ofTeam('/members'), { email, role: 'admin' })).status).toBe(409);
    }
  });

  it('for deleting a team that owns applications, and for transferring an application of a team', async () => {
    const transfer = () => portal('POST', ofApplication('/transfer'), { team_id: team.id, app_name: 'Helper' });
    expect((await transfer()).status).toBe(200);
    expect((await transfer()).status).toBe(409);
    expect((await portal('DELETE', ofTeam())).status).toBe(409);
  });
});
