import { useState } from 'react';
import { InviteTeamMemberDocument } from '../../gql/teams/members.js';
import type { InviteTeamMemberInput } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { useOff } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import type { Problem } from '../../ui/problems.js';
import { say } from '../../ui/toasts.js';
import { RevokeButton, useRevoking } from './invitations.js';
import { nameOf } from './person.js';
import { whyNotTeam } from './rights.js';
import { RoleField } from './role-field.js';
import { useTeam } from './team.js';

export function InviteMember() {
  const { viewerOperations } = useTeam();
  return (
    <section className="card">
      <h2>Invite a member</h2>
      <InviteForm reason={whyNotTeam(viewerOperations, 'INVITE_MEMBER')} />
    </section>
  );
}

type Given = Pick<InviteTeamMemberInput, 'email' | 'role'>;

function InviteForm({ reason }: { reason: string | undefined }) {
  const { id } = useTeam();
  const { off, note } = useOff(reason);
  const [{ email, role }, setGiven] = useState<Given>({ email: '', role: 'DEVELOPER' });
  const { run, isBusy, problem } = useAction(InviteTeamMemberDocument, { isQuiet: true });
  const [sent, setSent] = useState<Record<string, string>>({});
  const invite = async () => {
    const done = await run({ input: { teamId: id, email: email.trim(), role } });
    if (!done) return;
    setSent((before) => ({ ...before, [email.trim()]: done.inviteTeamMember.invitation.id }));
    // The user may have typed another address during the request.
    setGiven((before) => (before.email === email ? { ...before, email: '' } : before));
    say('Invitation sent');
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      isChanged={email !== ''}
      onSubmit={invite}
      buttons={(isOff) => (
        <>
          <WaitingHere problem={problem} invitationId={sent[email.trim()]} />
          <div className="actions">
            <button type="submit" disabled={isOff || email.trim() === ''} {...off}>
              Invite member
            </button>
          </div>
          {note}
        </>
      )}
    >
      <fieldset className="invite-pair" disabled={reason !== undefined}>
        <TextField
          label="E-mail address"
          hint="The person needs an account here. They get an email and see the invitation on their home page."
          type="email"
          autoComplete="off"
          value={email}
          fault={problem?.fields.email}
          onChange={({ target }) => setGiven({ email: target.value, role })}
        />
        <RoleField role={role} onChange={(given) => setGiven({ email, role: given })} />
      </fieldset>
    </Form>
  );
}

interface WaitingProps {
  problem: Problem | null;
  /** Set if the invitation to this address was sent from this form. */
  invitationId: string | undefined;
}

/** The API hides addresses, so all invitations are offered unless this form sent it. */
function WaitingHere({ problem, invitationId }: WaitingProps) {
  const { invitations } = useTeam();
  const { offFor, note } = useRevoking();
  if (problem?.reason !== 'invitation-pending') return null;
  const possible = invitations.filter(({ id }) => invitationId === undefined || id === invitationId);
  return (
    <>
      <ul className="people" aria-label="Pending">
        {possible.map((invitation) => (
          <li key={invitation.id}>
            <Name>{nameOf(invitation.invitee)}</Name>
            <RevokeButton invitation={invitation} off={offFor(invitation)} />
          </li>
        ))}
      </ul>
      {note}
    </>
  );
}
