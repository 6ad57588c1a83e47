import type { InvitationState, TeamInvitation } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { requireVerifiedEmail } from '../accounts/people.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { limits } from '../limits.js';
import { mayWithTeam, type PortalRole } from '../portal-permissions.js';
import { accessTeam, ownTeamRole } from './access.js';
import { removeTeamMember, type TeamUserInput } from './members.js';

/** Unique, and null unless pending. Limits a user to one pending invitation per team. */
export function pendingKeyOf(teamId: bigint, inviteeId: bigint): string {
  return `${teamId}:${inviteeId}`;
}

/**
 * One of several concurrent responses succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM_INVITATION, MISSING_PERMISSIONS for another member of the team, FORBIDDEN
 * without a verified e-mail address, CONFLICT if the invitation is not pending, LIMIT_EXCEEDED if the team is full
 */
export async function acceptTeamInvitation(call: CallContext, invitationId: bigint): Promise<TeamInvitation> {
  const { user } = requirePerson(call);
  const streams = await streamsOf(call, invitationId);
  return call.write(
    async (write) => {
      const { db } = write;
      await accessAsInvitee(call, write, invitationId);
      await requireVerifiedEmail(db, user.id);
      const invitation = await settle(write, invitationId, 'ACCEPTED');
      const { teamId, role } = invitation;
      await requireCapacity(db, teamId);
      const joinedAt = new Date(call.clock.now());
      await db.teamMember.create({ data: { teamId, userId: user.id, role, joinedAt } });
      return invitation;
    },
    { streams },
  );
}

async function streamsOf({ read }: CallContext, id: bigint): Promise<string[]> {
  const where = { id };
  const invitation = await read.teamInvitation.findUnique({ where, select: { teamId: true, inviteeId: true } });
  return invitation ? [topics.team(invitation.teamId), topics.user(invitation.inviteeId)] : [];
}

async function requireCapacity(db: Write['db'], teamId: bigint): Promise<void> {
  if ((await db.teamMember.count({ where: { teamId } })) < limits.membersPerTeam) return;
  throw new DomainError('LIMIT_EXCEEDED', `Maximum number of team members reached (${limits.membersPerTeam})`);
}

/**
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM_INVITATION, MISSING_PERMISSIONS for another member of the team, CONFLICT if the
 * invitation is not pending
 */
export async function declineTeamInvitation(call: CallContext, invitationId: bigint): Promise<TeamInvitation> {
  const streams = await streamsOf(call, invitationId);
  return call.write(
    async (write) => {
      await accessAsInvitee(call, write, invitationId);
      return settle(write, invitationId, 'DECLINED');
    },
    { streams },
  );
}

/**
 * Allows the inviter and admins.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM_INVITATION, MISSING_PERMISSIONS, CONFLICT if the invitation is not pending
 */
export async function revokeTeamInvitation(call: CallContext, invitationId: bigint): Promise<TeamInvitation> {
  const streams = await streamsOf(call, invitationId);
  return call.write(
    async (write) => {
      const { invitation, role } = await accessInvitation(call, write, invitationId);
      const isInviter = role !== null && invitation.inviterId === requirePerson(call).user.id;
      const mayRevoke = isInviter || (role !== null && mayWithTeam(role, 'revokeInvitation'));
      if (!mayRevoke) throw missingPermissions();
      return settle(write, invitationId, 'REVOKED');
    },
    { streams },
  );
}

/**
 * REST has one route for members and pending invitations.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS, UNKNOWN_TEAM_MEMBER
 */
export async function removeOrRevoke(call: CallContext, input: TeamUserInput): Promise<void> {
  await accessTeam(call, input.teamId, 'view');
  const pendingKey = pendingKeyOf(input.teamId, input.userId);
  const pending = await call.read.teamInvitation.findUnique({ where: { pendingKey }, select: { id: true } });
  if (pending) await revokeTeamInvitation(call, pending.id);
  else await removeTeamMember(call, input);
}

async function accessAsInvitee(call: CallContext, write: Write, invitationId: bigint): Promise<void> {
  const { invitation } = await accessInvitation(call, write, invitationId);
  if (invitation.inviteeId === requirePerson(call).user.id) return;
  throw missingPermissions('Only the invited user can answer an invitation.');
}

/** Allows the invitee and team members. @throws UNAUTHENTICATED, UNKNOWN_TEAM_INVITATION */
async function accessInvitation(
  call: CallContext,
  { db }: Write,
  id: bigint,
): Promise<{ invitation: TeamInvitation; role: PortalRole | null }> {
  const { user } = requirePerson(call);
  const invitation = await db.teamInvitation.findUnique({ where: { id } });
  const role = invitation && (await ownTeamRole(call, invitation.teamId, db));
  if (!invitation || (invitation.inviteeId !== user.id && role === null)) {
    throw new DomainError('UNKNOWN_TEAM_INVITATION');
  }
  return { invitation, role };
}

/** @throws CONFLICT if the invitation is not pending */
async function settle(
  { db, record, audit }: Write,
  id: bigint,
  state: Exclude<InvitationState, 'PENDING'>,
): Promise<TeamInvitation> {
  const where = { id, state: 'PENDING' } as const;
  const [settled] = await db.teamInvitation.updateManyAndReturn({ where, data: { state, pendingKey: null } });
  if (!settled) throw new DomainError('CONFLICT', 'This invitation is no longer pending.');
  const { teamId, inviteeId, role } = settled;
  await audit({ action: ACTIONS[state], teamId, targetId: inviteeId, changes: { role } });
  record({ type: 'TEAM_UPDATED', teamId });
  record({ type: 'PORTAL_HOME_UPDATED', userId: inviteeId });
  return settled;
}

const ACTIONS = {
  ACCEPTED: 'TEAM_INVITATION_ACCEPT',
  DECLINED: 'TEAM_INVITATION_DECLINE',
  REVOKED: 'TEAM_INVITATION_REVOKE',
} as const;
