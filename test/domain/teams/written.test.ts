import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { AuditRecord } from '../../../src/domain/audit-log/actions.js';
import type { CallContext } from '../../../src/domain/call.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import { limits } from '../../../src/domain/limits.js';
import {
  acceptTeamInvitation,
  createTeam,
  declineTeamInvitation,
  deleteTeam,
  type GivenRole,
  getTeam,
  inviteTeamMember,
  listTeams,
  removeOrRevoke,
  removeTeamMember,
  revokeTeamInvitation,
  transferTeamOwnership,
  updateTeam,
  updateTeamMember,
} from '../../../src/domain/teams/index.js';
import { type Caller, failing, newCaller, toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let app: AppContext;
let owner: Caller;
let admin: Caller;
let developer: Caller;
let invitee: Caller;
let names = 0;
let teamId: bigint;
/** Sent to `invitee` by `admin`. */
let invitationId: bigint;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  owner = await newCaller(app, 'owner');
  admin = await newCaller(app, 'admin');
  developer = await newCaller(app, 'developer');
  invitee = await newCaller(app, 'invitee');
});
beforeEach(async () => {
  ({ id: teamId } = await createTeam(owner.call, { name: 'Builders' }));
  await join(admin, 'ADMIN');
  await join(developer, 'DEVELOPER');
  ({ id: invitationId } = await inviteBy(admin, invitee, 'READ_ONLY'));
});

const inviteBy = (by: Caller, { email }: Caller, role: GivenRole = 'DEVELOPER') =>
  inviteTeamMember(by.call, { teamId, email, role });

async function join(person: Caller, role: GivenRole = 'DEVELOPER'): Promise<void> {
  await acceptTeamInvitation(person.call, (await inviteBy(owner, person, role)).id);
}

const home = ({ id: userId }: Caller): DomainEvent => ({ type: 'PORTAL_HOME_UPDATED', userId });

interface Case {
  what: string;
  by: () => Caller;
  act: (call: CallContext) => Promise<unknown>;
  entry: () => Omit<AuditRecord, 'teamId'> | null;
  homes?: () => Caller[];
  mails?: string[];
  locking?: boolean[];
}

const CASES: Case[] = [
  {
    what: 'another name, which the invited see too',
    by: () => admin,
    act: (call) => updateTeam(call, { teamId, name: 'Otters' }),
    entry: () => ({
      action: 'TEAM_UPDATE',
      targetId: teamId,
      changes: { name: { old: 'Builders', new: 'Otters' } },
    }),
    homes: () => [invitee],
  },
  {
    what: 'the name it has',
    by: () => admin,
    act: (call) => updateTeam(call, { teamId, name: 'Builders', icon: null, ownerUserId: owner.id }),
    entry: () => null,
  },
  {
    what: 'nothing to change',
    by: () => admin,
    act: (call) => updateTeam(call, { teamId, name: null, ownerUserId: null }),
    entry: () => null,
  },
  {
    what: 'another owner',
    by: () => owner,
    act: (call) => updateTeam(call, { teamId, ownerUserId: developer.id }),
    entry: () => ({
      action: 'TEAM_TRANSFER_OWNERSHIP',
      targetId: developer.id,
      changes: { ownerUserId: { old: String(owner.id), new: String(developer.id) } },
    }),
  },
  {
    what: 'the ownership handed over',
    by: () => owner,
    act: (call) => transferTeamOwnership(call, { teamId, userId: admin.id }),
    entry: () => ({
      action: 'TEAM_TRANSFER_OWNERSHIP',
      targetId: admin.id,
      changes: { ownerUserId: { old: String(owner.id), new: String(admin.id) } },
    }),
  },
  {
    what: 'another role of a member',
    by: () => admin,
    act: (call) => updateTeamMember(call, { teamId, userId: developer.id, role: 'READ_ONLY' }),
    entry: () => ({
      action: 'TEAM_MEMBER_UPDATE',
      targetId: developer.id,
      changes: { role: { old: 'DEVELOPER', new: 'READ_ONLY' } },
    }),
  },
  {
    what: 'the role a member has',
    by: () => admin,
    act: (call) => updateTeamMember(call, { teamId, userId: developer.id, role: 'DEVELOPER' }),
    entry: () => null,
  },
  {
    what: 'a member removed',
    by: () => admin,
    act: (call) => removeOrRevoke(call, { teamId, userId: developer.id }),
    entry: () => ({ action: 'TEAM_MEMBER_REMOVE', targetId: developer.id, changes: { role: 'DEVELOPER' } }),
  },
  {
    what: 'a member who leaves',
    by: () => developer,
    act: (call) => removeTeamMember(call, { teamId, userId: developer.id }),
    entry: () => ({ action: 'TEAM_MEMBER_LEAVE', targetId: developer.id, changes: { role: 'DEVELOPER' } }),
  },
  {
    what: 'an invitation',
    by: () => admin,
    act: async (call) => {
      await removeOrRevoke(admin.call, { teamId, userId: invitee.id });
      return inviteTeamMember(call, { teamId, email: invitee.email, role: 'ADMIN' });
    },
    entry: () => ({ action: 'TEAM_INVITATION_CREATE', targetId: invitee.id, changes: { role: 'ADMIN' } }),
    homes: () => [invitee],
    mails: ['invitee@people.example You are invited to join the team Builders'],
  },
  {
    what: 'an invitation accepted',
    by: () => invitee,
    act: (call) => acceptTeamInvitation(call, invitationId),
    entry: () => ({ action: 'TEAM_INVITATION_ACCEPT', targetId: invitee.id, changes: { role: 'READ_ONLY' } }),
    homes: () => [invitee],
  },
  {
    what: 'an invitation declined',
    by: () => invitee,
    act: (call) => declineTeamInvitation(call, invitationId),
    entry: () => ({ action: 'TEAM_INVITATION_DECLINE', targetId: invitee.id, changes: { role: 'READ_ONLY' } }),
    homes: () => [invitee],
  },
  {
    what: 'an invitation revoked',
    by: () => owner,
    act: (call) => revokeTeamInvitation(call, invitationId),
    entry: () => ({ action: 'TEAM_INVITATION_REVOKE', targetId: invitee.id, changes: { role: 'READ_ONLY' } }),
    homes: () => [invitee],
  },
  {
    what: 'somebody invited, taken out of it',
    by: () => owner,
    act: (call) => removeOrRevoke(call, { teamId, userId: invitee.id }),
    entry: () => ({ action: 'TEAM_INVITATION_REVOKE', targetId: invitee.id, changes: { role: 'READ_ONLY' } }),
    homes: () => [invitee],
  },
];

describe('a change of a team is audited and published once, in a transaction that locks its stream:', () => {
  test.each(CASES)('$what', async ({ by, act, entry, homes = () => [], mails = [] }) => {
    const told = await toldBy(by().call, act);
    const expected = entry();
    expect(told).toEqual({
      entries: expected ? [{ teamId, ...expected }] : [],
      events: expected ? [{ type: 'TEAM_UPDATED', teamId }, ...homes().map(home)] : [],
      mails,
      locking: [true],
    });
  });

  test('the creation', async () => {
    const told = await toldBy(owner.call, async (call) => {
      ({ id: teamId } = await createTeam(call, { name: 'Otters' }));
    });
    expect(told).toMatchObject({
      entries: [{ action: 'TEAM_CREATE', teamId, targetId: teamId, changes: { name: 'Otters' } }],
      events: [{ type: 'TEAM_UPDATED', teamId }, home(owner)],
    });
  });

  test('the deletion, which is published to invited users too', async () => {
    expect(await toldBy(owner.call, (call) => deleteTeam(call, teamId))).toEqual({
      entries: [{ action: 'TEAM_DELETE', teamId, targetId: teamId, changes: { name: 'Builders' } }],
      events: [home(invitee), { type: 'TEAM_UPDATED', teamId }],
      mails: [],
      locking: [true],
    });
  });
});

describe('an icon', () => {
  const files = async () => {
    const keys: string[] = [];
    for await (const key of app.blobs.list('team-icons')) keys.push(key);
    return keys;
  };

  test('of a team that could not be created or changed is deleted', async () => {
    const before = await files();
    const call = failing(owner.call);
    await expect(createTeam(call, { name: 'Otters', icon: PICTURE })).rejects.toThrow('the disk is full');
    await expect(updateTeam(call, { teamId, icon: PICTURE })).rejects.toThrow('the disk is full');
    expect(await files()).toEqual(before);
  });

  test('is deleted if it is replaced or its team is deleted, and is kept on other changes', async () => {
    const before = await files();
    const first = await updateTeam(owner.call, { teamId, icon: PICTURE });
    const withOne = await files();
    expect(withOne.length).toBeGreaterThan(before.length);
    expect((await updateTeam(owner.call, { teamId, name: 'Otters' })).iconHash).toBe(first.iconHash);
    expect(await files()).toEqual(withOne);
    const second = await updateTeam(owner.call, { teamId, icon: PICTURE });
    expect(second.iconHash).not.toBe(first.iconHash);
    expect(await files()).toHaveLength(withOne.length);
    await deleteTeam(owner.call, teamId);
    expect(await files()).toEqual(before);
  });
});

describe('a team', () => {
  test('has at most 100 members', async () => {
    // Created directly, since the domain functions would take too long.
    const crowd = Array.from({ length: limits.membersPerTeam - 4 }, () => app.nextId());
    const joinedAt = new Date(app.clock.now());
    await app.db.writer.user.createMany({ data: crowd.map((id) => ({ id, username: `crowd ${id}` })) });
    await app.db.writer.teamMember.createMany({
      data: crowd.map((userId) => ({ teamId, userId, role: 'READ_ONLY', joinedAt })),
    });
    const last = await newCaller(app, `last${++names}`);
    const { id } = await inviteBy(owner, last);
    expect(await outcome(acceptTeamInvitation(invitee.call, invitationId))).toBe('ok');
    expect((await getTeam(owner.call, teamId)).members).toHaveLength(100);
    expect(await outcome(acceptTeamInvitation(last.call, id))).toBe('LIMIT_EXCEEDED');
    await removeTeamMember(developer.call, { teamId, userId: developer.id });
    expect(await outcome(acceptTeamInvitation(last.call, id))).toBe('ok');
  });

  test('shows its members and its pending invitations in the order they were added', async () => {
    const [ada, bob] = [await newCaller(app, `ada${++names}`), await newCaller(app, `bob${names}`)];
    const [first, second] = [await inviteBy(owner, bob), await inviteBy(owner, ada)];
    await declineTeamInvitation(bob.call, first.id);
    const third = await inviteBy(owner, bob);
    const { members, invitations } = await getTeam(developer.call, teamId);
    expect(members.map(({ userId }) => userId)).toEqual([owner.id, admin.id, developer.id]);
    expect(invitations.map(({ id }) => id)).toEqual([invitationId, second.id, third.id]);
    expect(invitations.map(({ invitee: person }) => person.username)).toEqual([
      'invitee',
      ada.user.username,
      bob.user.username,
    ]);
  });

  test('is listed for its members, oldest first', async () => {
    const { id: other } = await createTeam(admin.call, { name: 'Otters' });
    const seen = async ({ call }: Caller) => (await listTeams(call)).map(({ id }) => id);
    expect((await seen(admin)).slice(-2)).toEqual([teamId, other]);
    expect(await seen(owner)).not.toContain(other);
    expect(await seen(invitee)).not.toContain(teamId);
  });
});

describe('these callers are refused:', () => {
  const nobody = 1n;
  test.each<[string, () => Promise<unknown>, string]>([
    [
      'a developer who hands it over',
      () => transferTeamOwnership(developer.call, { teamId, userId: admin.id }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an admin who hands it over',
      () => transferTeamOwnership(admin.call, { teamId, userId: admin.id }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an owner who hands it to an unknown user',
      () => transferTeamOwnership(owner.call, { teamId, userId: nobody }),
      'UNKNOWN_TEAM_MEMBER',
    ],
    [
      'an owner who hands it to themselves',
      () => transferTeamOwnership(owner.call, { teamId, userId: owner.id }),
      'CONFLICT',
    ],
    [
      'an admin who names another owner',
      () => updateTeam(admin.call, { teamId, ownerUserId: admin.id }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an owner who names one from outside',
      () => updateTeam(owner.call, { teamId, name: 'Otters', ownerUserId: invitee.id }),
      'UNKNOWN_TEAM_MEMBER',
    ],
    [
      'an admin who changes the owner',
      () => updateTeamMember(admin.call, { teamId, userId: owner.id, role: 'ADMIN' }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an admin who changes an unknown member',
      () => updateTeamMember(admin.call, { teamId, userId: nobody, role: 'ADMIN' }),
      'UNKNOWN_TEAM_MEMBER',
    ],
    ['an owner who leaves', () => removeTeamMember(owner.call, { teamId, userId: owner.id }), 'MISSING_PERMISSIONS'],
    [
      'a developer who removes another',
      () => removeTeamMember(developer.call, { teamId, userId: admin.id }),
      'MISSING_PERMISSIONS',
    ],
    [
      'a developer who takes back an invitation',
      () => removeOrRevoke(developer.call, { teamId, userId: invitee.id }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an admin who removes an unknown member',
      () => removeOrRevoke(admin.call, { teamId, userId: nobody }),
      'UNKNOWN_TEAM_MEMBER',
    ],
    ['an outsider who removes', () => removeOrRevoke(invitee.call, { teamId, userId: invitee.id }), 'UNKNOWN_TEAM'],
    [
      'an outsider who asks for an account by inviting',
      () => inviteTeamMember(invitee.call, { teamId, email: 'nobody@people.example', role: 'ADMIN' }),
      'UNKNOWN_TEAM',
    ],
    [
      'a developer who does',
      () => inviteTeamMember(developer.call, { teamId, email: 'nobody@people.example', role: 'ADMIN' }),
      'MISSING_PERMISSIONS',
    ],
    [
      'an outsider who uploads',
      () => updateTeam(invitee.call, { teamId, icon: Buffer.from('no picture') }),
      'UNKNOWN_TEAM',
    ],
    [
      'a developer who does',
      () => updateTeam(developer.call, { teamId, icon: Buffer.from('no picture') }),
      'MISSING_PERMISSIONS',
    ],
    [
      'a developer who gives a role',
      () => updateTeamMember(developer.call, { teamId, userId: developer.id, role: 'ADMIN' }),
      'MISSING_PERMISSIONS',
    ],
    ['an outsider who looks', () => getTeam(invitee.call, teamId), 'UNKNOWN_TEAM'],
    ['who looks for a team that is not there', () => getTeam(owner.call, nobody), 'UNKNOWN_TEAM'],
  ])('%s', async (_who, act, expected) => {
    expect(await outcome(act())).toBe(expected);
    const team = await getTeam(owner.call, teamId);
    expect(team).toMatchObject({ name: 'Builders', ownerUserId: owner.id });
    expect(team.members.map(({ role }) => role)).toEqual(['ADMIN', 'ADMIN', 'DEVELOPER']);
  });
});
