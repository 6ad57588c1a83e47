import { useState } from 'react';
import { InviteTeamMemberDocument, RevokeTeamInvitationDocument } from '../../gql/teams/members.js';
import type { InviteTeamMemberInput, TeamInvitationRowFragment } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Name } from '../../ui/page.js';
import { say } from '../../ui/toasts.js';
import { nameOf } from './person.js';
import { RoleField } from './role-field.js';
import { useTeam } from './team.js';

interface AgainProps {
  invitation: TeamInvitationRowFragment;
  onClose: () => void;
}

/** The email address must be typed again, because the API does not return it. */
export function InviteAgain({ invitation: { id, invitee, role }, onClose }: AgainProps) {
  const [given, setGiven] = useState<Pick<InviteTeamMemberInput, 'email' | 'role'>>({ email: '', role });
  const { send, isBusy, problem, isRevoked } = useSendAgain(id);
  const submit = async () => {
    if (!(await send(given))) return;
    say(`New invitation sent to ${nameOf(invitee)}`);
    onClose();
  };
  return (
    <OpenDialog title="Revoke and invite again" onClose={onClose}>
      <p>
        The invitation to <Name>{nameOf(invitee)}</Name> {isRevoked ? 'was revoked' : 'will be revoked first'}. A new
        one will be sent.
      </p>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={given.email !== '' || given.role !== role}
        onSubmit={submit}
        buttons={(isOff) => (
          <DialogButtons
            isOff={isOff || given.email.trim() === ''}
            doIt={isRevoked ? 'Invite again' : 'Revoke and invite again'}
          />
        )}
      >
        <TextField
          label="E-mail address"
          hint="Email addresses are hidden, so enter it again."
          type="email"
          autoComplete="off"
          value={given.email}
          fault={problem?.fields.email}
          onChange={({ target }) => setGiven({ ...given, email: target.value })}
        />
        <RoleField role={given.role} onChange={(next) => setGiven({ ...given, role: next })} />
      </Form>
    </OpenDialog>
  );
}

/** If only the second step is refused, a retry does not revoke again. */
function useSendAgain(invitationId: string) {
  const { id: teamId } = useTeam();
  const revoking = useAction(RevokeTeamInvitationDocument, { isQuiet: true });
  const inviting = useAction(InviteTeamMemberDocument, { isQuiet: true });
  const [isRevoked, setRevoked] = useState(false);
  const send = async ({ email, role }: Pick<InviteTeamMemberInput, 'email' | 'role'>) => {
    if (!isRevoked && !(await revoking.run({ input: { invitationId } }))) return false;
    setRevoked(true);
    return (await inviting.run({ input: { teamId, email: email.trim(), role } })) !== undefined;
  };
  return {
    send,
    isRevoked,
    isBusy: revoking.isBusy || inviting.isBusy,
    problem: revoking.problem ?? inviting.problem,
  };
}
