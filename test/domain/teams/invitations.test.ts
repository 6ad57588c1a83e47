import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { codeOf } from '../../harness/graphql.js';
import { type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf } from '../../harness/settings.js';
import {
  type Answer,
  acceptInvitation,
  addToTeam,
  askAnswer,
  askInvite,
  askRole,
  askTeamUser,
  createTeam,
  inviteToTeam,
  type MadeTeam,
  pendingOf,
  removeFromTeam,
  teamOf,
} from '../../harness/teams.js';

let server: TestServer;
let owner: Person;
let admin: Person;
let developer: Person;
let invitee: Person;
let stranger: Person;
let team: MadeTeam;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, admin, developer, invitee, stranger] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'admin'),
    signUp(server, 'developer'),
    signUp(server, 'invitee'),
    signUp(server, 'stranger'),
  ]);
});
beforeEach(async () => {
  team = await createTeam(owner);
  await addToTeam(owner, team, admin, 'ADMIN');
  await addToTeam(owner, team, developer, 'DEVELOPER');
});

const memberIds = async () =>
  (await teamOf(owner, team)).members.map((member: { user: { id: string } }) => member.user.id);

async function stateOf(id: string): Promise<string | undefined> {
  const row = await server.app.db.reader.teamInvitation.findUnique({ where: { id: BigInt(id) } });
  return row?.state;
}

const byInvitee = (how: Answer) => (id: string) => askAnswer(invitee, how, id);
const byInviter = (id: string) => askAnswer(admin, 'revoke', id);

describe('the states of a team invitation', () => {
  it.each([
    ['an admin', () => admin],
    ['the owner', () => owner],
  ])('(none): %s invites an existing user by e-mail → pending, seen in portal home', async (_who, inviter) => {
    const { data, errors } = await askInvite(inviter(), team, { email: invitee.email, role: 'READ_ONLY' });
    expect(errors).toEqual([]);
    const { invitation } = data.inviteTeamMember;
    expect(invitation).toEqual({
      id: expect.stringMatching(/^\d{17,19}$/),
      state: 'PENDING',
      role: 'READ_ONLY',
      invitee: { id: invitee.id },
      inviter: { id: inviter().id },
      team,
    });
    expect((await pendingOf(invitee)).teams).toContain(invitation.id);
    expect((await pendingOf(stranger)).teams).toEqual([]);
    expect(await memberIds()).not.toContain(invitee.id);
  });

  it.each([
    ['pending', 'invitee accepts', 'ACCEPTED', byInvitee('accept'), true],
    ['pending', 'invitee declines', 'DECLINED', byInvitee('decline'), false],
    ['pending', 'inviter revokes', 'REVOKED', byInviter, false],
  ] as const)('%s: %s → %s', async (_from, _trigger, state, act, isMember) => {
    const id = await inviteToTeam(admin, team, invitee, 'READ_ONLY');
    const { data } = await act(id);
    expect(data.answered.invitation.state).toBe(state);
    expect(await stateOf(id)).toBe(state);
    expect((await pendingOf(invitee)).teams).not.toContain(id);
    expect((await memberIds()).includes(invitee.id)).toBe(isMember);
    const found = await teamOf(owner, team);
    expect(found.invitations.find((invitation: { id: string }) => invitation.id === id).state).toBe(state);
    if (isMember) expect(found.members.at(-1)).toEqual({ user: { id: invitee.id }, role: 'READ_ONLY' });
  });

  const ENDS = [
    ['accepted', byInvitee('accept')],
    ['declined', byInvitee('decline')],
    ['revoked', byInviter],
  ] as const;
  const ends = ENDS.flatMap(([state, reach]) => ENDS.map(([to, act]) => ({ state, reach, to, act })));

  it.each(ends)('$state: is final, and cannot become $to', async ({ state, reach, act }) => {
    const id = await inviteToTeam(admin, team, invitee);
    await reach(id);
    const before = await memberIds();
    expect(codeOf(await act(id))).toBe('CONFLICT');
    expect(await stateOf(id)).toBe(state.toUpperCase());
    expect(await memberIds()).toEqual(before);
  });

  it('pending: another invitation is a conflict, and after a revocation it is a new one', async () => {
    const first = await inviteToTeam(admin, team, invitee);
    expect(codeOf(await askInvite(admin, team, { email: invitee.email }))).toBe('CONFLICT');
    expect(codeOf(await askInvite(owner, team, { email: invitee.email, role: 'ADMIN' }))).toBe('CONFLICT');
    await askAnswer(admin, 'revoke', first);
    const second = await inviteToTeam(admin, team, invitee, 'ADMIN');
    expect(second).not.toBe(first);
    expect((await pendingOf(invitee)).teams.filter((id) => [first, second].includes(id))).toEqual([second]);
  });

  it('declined: the user can be invited again, and after leaving too', async () => {
    await askAnswer(invitee, 'decline', await inviteToTeam(admin, team, invitee));
    await addToTeam(admin, team, invitee);
    await removeFromTeam(invitee, team, invitee);
    await addToTeam(admin, team, invitee);
    expect((await memberIds()).filter((id: string) => id === invitee.id)).toHaveLength(1);
  });
});

describe('an invitation', () => {
  it('finds the user in any spelling of the address', async () => {
    const { data } = await askInvite(admin, team, { email: ` ${invitee.email.toUpperCase()} ` });
    expect(data.inviteTeamMember.invitation.invitee.id).toBe(invitee.id);
  });

  it.each([
    ['an address without an account', { email: 'nobody@people.example' }, { email: ['EMAIL_UNKNOWN'] }],
    ['no address', { email: '' }, { email: ['EMAIL_UNKNOWN'] }],
    ['the role OWNER', { email: 'invitee@people.example', role: 'OWNER' }, { role: ['BASE_TYPE_CHOICES'] }],
  ])('is refused for %s', async (_what, input, faults) => {
    const answer = await askInvite(admin, team, input);
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect(faultsOf(answer)).toEqual(faults);
  });

  it('is refused for a member, the owner and the caller', async () => {
    for (const member of [developer, owner, admin]) {
      expect(codeOf(await askInvite(admin, team, { email: member.email }))).toBe('CONFLICT');
    }
  });

  it('can be accepted and declined by the invitee only, and is unknown to outsiders', async () => {
    const id = await inviteToTeam(admin, team, invitee);
    for (const how of ['accept', 'decline'] as const) {
      for (const member of [owner, admin, developer]) {
        expect(codeOf(await askAnswer(member, how, id))).toBe('FORBIDDEN');
      }
      const hidden = await askAnswer(stranger, how, id);
      const missing = await askAnswer(stranger, how, '1');
      expect(codeOf(hidden)).toBe('NOT_FOUND');
      expect(hidden.errors[0]?.message).toBe(missing.errors[0]?.message);
    }
    expect(await stateOf(id)).toBe('PENDING');
  });

  it('can be revoked by its inviter, an admin or the owner, but not by the invitee, a developer or an outsider', async () => {
    const id = await inviteToTeam(admin, team, invitee);
    expect(codeOf(await askAnswer(invitee, 'revoke', id))).toBe('FORBIDDEN');
    expect(codeOf(await askAnswer(developer, 'revoke', id))).toBe('FORBIDDEN');
    expect(codeOf(await askAnswer(stranger, 'revoke', id))).toBe('NOT_FOUND');
    expect((await askAnswer(owner, 'revoke', id)).errors).toEqual([]);
    const other = await inviteToTeam(admin, team, invitee);
    await askRole(owner, team, admin, 'READ_ONLY');
    expect((await askAnswer(admin, 'revoke', other)).errors).toEqual([]);
  });

  it('ends with its team', async () => {
    const empty = await createTeam(owner);
    const id = await inviteToTeam(owner, empty, invitee);
    await owner.graphql(`mutation ($input: TeamIdInput!) { deleteTeam(input: $input) { id } }`, {
      input: { teamId: empty.id },
    });
    expect((await pendingOf(invitee)).teams).not.toContain(id);
    expect(codeOf(await askAnswer(invitee, 'accept', id))).toBe('NOT_FOUND');
  });

  it('shows the invitee the name of the team, and no contents', async () => {
    await inviteToTeam(admin, team, invitee);
    const { portalHome } = await invitee.graphql(`{ portalHome { teamInvitations {
      role inviter { username } team { id name members { role } invitations { id } applications { id } }
    } } }`);
    expect(portalHome.teamInvitations.at(-1)).toEqual({
      role: 'DEVELOPER',
      inviter: { username: 'admin' },
      team: { ...team, members: [], invitations: [], applications: [] },
    });
  });

  it('is audited in the log of the team', async () => {
    const id = await inviteToTeam(admin, team, invitee);
    await acceptInvitation(invitee, id);
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { teamId: BigInt(team.id), targetId: BigInt(invitee.id) },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, actorId, changes }) => [action, String(actorId), changes])).toEqual([
      ['TEAM_INVITATION_CREATE', admin.id, { role: 'DEVELOPER' }],
      ['TEAM_INVITATION_ACCEPT', invitee.id, { role: 'DEVELOPER' }],
    ]);
  });
});

describe('a user with an unverified e-mail address', () => {
  const setVerified = (emailVerified: boolean) =>
    server.app.db.writer.authUser.update({ where: { userId: BigInt(invitee.id) }, data: { emailVerified } });

  it('cannot accept, but can decline', async () => {
    const first = await inviteToTeam(admin, team, invitee);
    const second = await inviteToTeam(owner, await createTeam(owner), invitee);
    await setVerified(false);
    try {
      expect(codeOf(await askAnswer(invitee, 'accept', first))).toBe('FORBIDDEN');
      expect(await stateOf(first)).toBe('PENDING');
      expect((await askAnswer(invitee, 'decline', second)).errors).toEqual([]);
    } finally {
      await setVerified(true);
    }
    expect((await askAnswer(invitee, 'accept', first)).errors).toEqual([]);
  });
});

describe('at the same time', () => {
  const TEN = Array.from({ length: 10 });
  const succeeded = (answers: { errors: unknown[] }[]) => answers.filter(({ errors }) => errors.length === 0).length;

  it('ten accepts create one membership', async () => {
    const id = await inviteToTeam(admin, team, invitee);
    const answers = await Promise.all(TEN.map(() => askAnswer(invitee, 'accept', id)));
    expect(succeeded(answers)).toBe(1);
    for (const answer of answers) if (answer.errors[0]) expect(codeOf(answer)).toBe('CONFLICT');
    expect((await memberIds()).filter((member: string) => member === invitee.id)).toHaveLength(1);
  });

  it('ten invitations create one pending invitation', async () => {
    const answers = await Promise.all(
      TEN.map((_, index) => askInvite(index % 2 ? admin : owner, team, { email: invitee.email })),
    );
    expect(succeeded(answers)).toBe(1);
    for (const answer of answers) if (answer.errors[0]) expect(codeOf(answer)).toBe('CONFLICT');
    const where = { teamId: BigInt(team.id), inviteeId: BigInt(invitee.id) };
    expect(await server.app.db.reader.teamInvitation.count({ where })).toBe(1);
  });

  it('exactly one of accept, decline and revoke wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await createTeam(owner);
      const id = await inviteToTeam(owner, own, invitee);
      const answers = await Promise.all([
        askAnswer(invitee, 'accept', id),
        askAnswer(owner, 'revoke', id),
        askAnswer(invitee, 'decline', id),
      ]);
      expect(succeeded(answers)).toBe(1);
      const isMember = (await teamOf(owner, own)).members.length === 2;
      expect(isMember).toBe((await stateOf(id)) === 'ACCEPTED');
    }
  });

  it('a team whose new owner leaves keeps an owner who is a member', async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await createTeam(owner);
      await addToTeam(owner, own, invitee);
      await Promise.all([
        askTeamUser(owner, 'transferTeamOwnership', own, invitee),
        askTeamUser(invitee, 'removeTeamMember', own, invitee),
        askTeamUser(owner, 'removeTeamMember', own, owner),
      ]);
      const row = await server.app.db.reader.team.findUniqueOrThrow({
        where: { id: BigInt(own.id) },
        include: { members: true },
      });
      expect(row.members.map(({ userId }) => userId)).toContain(row.ownerUserId);
    }
  });
});
