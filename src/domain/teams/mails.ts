import type { Team, TeamInvitation, TeamMemberRole, User } from '../../infra/database/index.js';
import { emailOf } from '../accounts/email.js';
import type { CallContext, Write } from '../call.js';
import { invitationText, plainName } from '../mail-text.js';

interface InvitationDetails {
  invitation: Pick<TeamInvitation, 'inviteeId' | 'role'>;
  team: Pick<Team, 'name'>;
  inviter: Pick<User, 'username'>;
}

const ROLE_WORDS: Record<TeamMemberRole, string> = {
  ADMIN: 'an admin',
  DEVELOPER: 'a developer',
  READ_ONLY: 'a read-only member',
};

/** Does nothing if the invitee has no address. */
export async function mailTeamInvitation(
  call: CallContext,
  { db, mail }: Write,
  facts: InvitationDetails,
): Promise<void> {
  const { invitation, inviter } = facts;
  const to = await emailOf(db, invitation.inviteeId);
  if (to === null) return;
  const team = plainName(facts.team.name);
  mail({
    to,
    subject: `You are invited to join the team ${team}`,
    text: invitationText(
      call,
      `${inviter.username} invited you to join the team "${team}"\non Causeway as ${ROLE_WORDS[invitation.role]}.`,
    ),
  });
}
