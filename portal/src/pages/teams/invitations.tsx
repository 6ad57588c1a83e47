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
  const { invitations } = useTeam();
  const { off, offFor, note } = useRevoking();
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

/** Whether invitations can be taken back: one's own by everybody, those of others by who manages the team. */
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
  /** For what revokes it and invites anew. */
  offAgain: object;
  onAgain: () => void;
}

function InvitationRow({ invitation, off, offAgain, onAgain }: RowProps) {
  const { invitee, inviter, role, createdAt } = invitation;
  return (
    <li>
      <PersonLine person={invitee}>
        as {ROLE_WORDS[role]}, by <Name>{nameOf(inviter)}</Name>, <Ago at={createdAt} />
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

/** Takes an invitation back, so that another one can be sent. */
export function RevokeButton({ invitation: { id, invitee }, off }: InvitationProps) {
  const { run, isOff } = useAction(RevokeTeamInvitationDocument);
  const revoke = async () => {
    if (await run({ input: { invitationId: id } })) say(`The invitation of ${nameOf(invitee)} is revoked`);
  };
  return (
    <button
      type="button"
      className="plain"
      aria-label={`Revoke the invitation of ${nameOf(invitee)}`}
      disabled={isOff}
      onClick={revoke}
      {...off}
    >
      Revoke
    </button>
  );
}
