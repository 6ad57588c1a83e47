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

/** Who is invited and did not answer yet. */
export function Invitations() {
  const { invitations, viewerOperations } = useTeam();
  const { off, note } = useOff(whyNotTeam(viewerOperations, 'REVOKE_INVITATION'));
  const rows = useRowFocus(invitations.length);
  // Outlives its row, which goes when the invitation is revoked.
  const [again, setAgain] = useState<TeamInvitationRowFragment | null>(null);
  return (
    <section className="card">
      <h2>Pending invitations</h2>
      <p className="soft">There is no resend: revoke, then invite again.</p>
      {note}
      {invitations.length === 0 ? (
        <p className="hint">Nobody is invited at the moment.</p>
      ) : (
        <ul className="people" aria-label="Pending invitations" ref={rows}>
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} off={off} onAgain={() => setAgain(invitation)} />
          ))}
        </ul>
      )}
      {again && <InviteAgain invitation={again} onClose={() => setAgain(null)} />}
    </section>
  );
}

interface InvitationProps {
  invitation: TeamInvitationRowFragment;
  off: object;
}

function InvitationRow({ invitation, off, onAgain }: InvitationProps & { onAgain: () => void }) {
  const { invitee, inviter, role, createdAt } = invitation;
  const isMine = useMyId() === inviter.id;
  return (
    <li>
      <PersonLine person={invitee}>
        as {ROLE_WORDS[role]}, by <Name>{nameOf(inviter)}</Name>, <Ago at={createdAt} />
      </PersonLine>
      <div className="actions">
        <RevokeButton invitation={invitation} off={isMine ? {} : off} />
        <button
          type="button"
          className="plain"
          aria-label={`Revoke and invite again: ${nameOf(invitee)}`}
          onClick={onAgain}
          {...off}
        >
          Revoke and invite again
        </button>
      </div>
    </li>
  );
}

/** Takes an invitation back, so that another one can be sent. */
export function RevokeButton({ invitation: { id, invitee }, off }: InvitationProps) {
  const { run, isBusy } = useAction(RevokeTeamInvitationDocument);
  const revoke = async () => {
    if (await run({ input: { invitationId: id } })) say(`The invitation of ${nameOf(invitee)} is revoked`);
  };
  return (
    <button
      type="button"
      className="plain"
      aria-label={`Revoke the invitation of ${nameOf(invitee)}`}
      disabled={isBusy}
      onClick={revoke}
      {...off}
    >
      Revoke
    </button>
  );
}
