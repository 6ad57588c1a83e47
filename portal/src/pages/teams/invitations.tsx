import { useState } from 'react';
import { RevokeTeamInvitationDocument } from '../../gql/teams/members.js';
import type { TeamInvitationRowFragment } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { useAction } from '../../ui/action.js';
import { useOff } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Ago } from '../../ui/times.js';
import { say } from '../../ui/toasts.js';
import { InviteAgain } from './invite-again.js';
import { nameOf, PersonLine } from './person.js';
import { whyNotTeam } from './rights.js';
import { ROLE_WORDS } from './role-words.js';
import { useTeam } from './team.js';

export function Invitations() {
  const { invitations } = useTeam();
  const { off, offFor, note } = useRevoking();
  const rows = useRowFocus();
  // The dialog outlives its row, which disappears when the invitation is revoked.
  const [again, setAgain] = useState<TeamInvitationRowFragment | null>(null);
  return (
    <section className="card">
      <h2>Pending invitations</h2>
      <p className="soft">To resend an invitation, revoke it and invite the person again.</p>
      {note}
      {invitations.length === 0 ? (
        <p className="hint">No pending invitations.</p>
      ) : (
        <ul className="people" aria-label="Pending invitations" ref={rows}>
          {invitations.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              off={offFor(invitation)}
              offAgain={off}
              onAgain={() => setAgain(invitation)}
            />
          ))}
        </ul>
      )}
      {again && <InviteAgain invitation={again} onClose={() => setAgain(null)} />}
    </section>
  );
}

/** Users may always revoke their own invitations; others take a permission. */
export function useRevoking() {
  const { viewerOperations } = useTeam();
  const { off, note } = useOff(whyNotTeam(viewerOperations, 'REVOKE_INVITATION'));
  const myId = useMyId();
  const offFor = ({ inviter }: TeamInvitationRowFragment) => (inviter.id === myId ? {} : off);
  return { off, offFor, note };
}

interface InvitationProps {
  invitation: TeamInvitationRowFragment;
  off: object;
}

interface RowProps extends InvitationProps {
  /** For the button that revokes and invites again. */
  offAgain: object;
  onAgain: () => void;
}

function InvitationRow({ invitation, off, offAgain, onAgain }: RowProps) {
  const { invitee, inviter, role, createdAt } = invitation;
  return (
    <li>
      <PersonLine person={invitee}>
        {ROLE_WORDS[role]} · invited <Ago at={createdAt} /> by <Name>{nameOf(inviter)}</Name>
      </PersonLine>
      <div className="actions">
        <RevokeButton invitation={invitation} off={off} />
        <button
          type="button"
          className="plain"
          aria-label={`Revoke and invite again: ${nameOf(invitee)}`}
          onClick={onAgain}
          {...offAgain}
        >
          Revoke and invite again
        </button>
      </div>
    </li>
  );
}

export function RevokeButton({ invitation: { id, invitee }, off }: InvitationProps) {
  const { run, isOff } = useAction(RevokeTeamInvitationDocument);
  const revoke = async () => {
    if (await run({ input: { invitationId: id } })) say(`Invitation to ${nameOf(invitee)} revoked`);
  };
  return (
    <button
      type="button"
      className="plain"
      aria-label={`Revoke invitation to ${nameOf(invitee)}`}
      disabled={isOff}
      onClick={revoke}
      {...off}
    >
      Revoke
    </button>
  );
}
