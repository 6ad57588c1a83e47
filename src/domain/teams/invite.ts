import type { TeamMemberRole } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { findInviteeByEmail, withinInvitationLimit } from '../invitation-limits.js';
import { accessTeam } from './access.js';
import type { TeamRecord } from './get.js';
import { pendingKeyOf } from './invitations.js';
import { mailTeamInvitation } from './mails.js';
import type { GivenRole } from './members.js';

export interface InviteTeamMemberInput {
  teamId: bigint;
  email: string;
  role: GivenRole;
}

type InvitationRecord = TeamRecord['invitations'][number];

/**
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS, INVALID_INPUT for an address without an account,
 * RATE_LIMITED, CONFLICT for a member or a pending invitation
 */
export async function inviteTeamMember(call: CallContext, input: InviteTeamMemberInput): Promise<InvitationRecord> {
  await accessTeam(call, input.teamId, 'inviteMember');
  const { email, role } = input;
  const invitee = await findInviteeByEmail(call, email);
  const work = (write: Write) => insert(call, write, input.teamId, invitee.id, role);
  return withinInvitationLimit(call, invitee.id, () =>
    call.write(work, { streams: [topics.team(input.teamId), topics.user(invitee.id)] }),
  );
}

async function insert(
  call: CallContext,
  write: Write,
  teamId: bigint,
  inviteeId: bigint,
  role: TeamMemberRole,
): Promise<InvitationRecord> {
  const { db, record, audit } = write;
  const { user: inviter } = requirePerson(call);
  const team = await accessTeam(call, teamId, 'inviteMember', db);
  if (await db.teamMember.findUnique({ where: { teamId_userId: { teamId, userId: inviteeId } } })) {
    throw new DomainError('CONFLICT', 'This user is already a member of the team.');
  }
  const pendingKey = pendingKeyOf(teamId, inviteeId);
  if (await db.teamInvitation.findUnique({ where: { pendingKey } })) {
    throw new DomainError('CONFLICT', 'This user already has a pending invitation. To change it, revoke it first.', {
      shown: { reason: 'invitation-pending' },
    });
  }
  const invitation = await db.teamInvitation.create({
    data: {
      id: call.nextId(),
      teamId,
      inviteeId,
      inviterId: inviter.id,
      role,
      pendingKey,
      createdAt: new Date(call.clock.now()),
    },
    include: { invitee: true },
  });
  await audit({ action: 'TEAM_INVITATION_CREATE', teamId, targetId: inviteeId, changes: { role } });
  record({ type: 'TEAM_UPDATED', teamId });
  record({ type: 'PORTAL_HOME_UPDATED', userId: inviteeId });
  await mailTeamInvitation(call, write, { invitation, team, inviter });
  return invitation;
}
