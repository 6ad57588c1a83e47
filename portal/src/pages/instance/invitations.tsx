import { useState } from 'react';
import { InstanceInvitationsDocument, OperatorRevokeInvitationDocument } from '../../gql/instance/invitations.js';
import type { InvitationRowFragment, RegistrationMode } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { Listing } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { useRowDialog } from '../../ui/row-dialog.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Ago } from '../../ui/times.js';
import { NewInvitation } from './new-invitation.js';

const MODES: Record<RegistrationMode, string> = {
  OPEN: 'Everyone can sign up on this instance without an invitation.',
  INVITE: 'Only people with an invitation can sign up on this instance.',
  CLOSED: 'No one can sign up on this instance, not even with an invitation.',
};

export function Invitations() {
  useTitle('Invitations', 'Instance');
  const answer = useQuery({ query: InstanceInvitationsDocument });
  const instance = answer.data?.instance;
  const [isNew, setNew] = useState(false);
  const { dialog, open, close } = useRowDialog<'revoke', InvitationRowFragment>(instance?.invitations ?? []);
  return (
    <>
      <div className="heading">
        <Heading>Invitations</Heading>
        <button type="button" onClick={() => setNew(true)}>
          New invitation
        </button>
      </div>
      <section className="card" aria-label="Invitations">
        {instance && (
          <p className="soft">
            {MODES[instance.registration]} The setting <code>REGISTRATION</code> decides.
          </p>
        )}
        <div ref={useRowFocus()}>
          <Listing
            answer={answer}
            items={instance?.invitations}
            shape="list"
            empty="No invitations yet."
            render={(invitation) => (
              <Row key={invitation.id} invitation={invitation} onRevoke={() => open('revoke', invitation)} />
            )}
          />
        </div>
      </section>
      {isNew && <NewInvitation onClose={() => setNew(false)} />}
      {dialog && !dialog.isGone && <Revoke invitation={dialog.row} onClose={close} />}
    </>
  );
}

const nameOf = ({ note, codeHint }: InvitationRowFragment) => note || codeHint;

function Row({ invitation, onRevoke }: { invitation: InvitationRowFragment; onRevoke: () => void }) {
  const { codeHint, createdAt, createdBy, uses, maxUses } = invitation;
  return (
    <li>
      <div>
        <b>
          <Name>{nameOf(invitation)}</Name>
        </b>
        <p className="soft small">
          <code>{codeHint}</code>, created <Ago at={createdAt} />
          {createdBy && ` by ${createdBy.username}`}, used {uses}
          {maxUses === null ? (uses === 1 ? ' time' : ' times') : ` of ${maxUses}`}, <Expiry {...invitation} />
        </p>
      </div>
      <button
        type="button"
        className="plain small"
        aria-label={`Revoke the invitation ${nameOf(invitation)}`}
        onClick={onRevoke}
      >
        Revoke
      </button>
    </li>
  );
}

function Expiry({ expiresAt, uses, maxUses }: Pick<InvitationRowFragment, 'expiresAt' | 'uses' | 'maxUses'>) {
  if (expiresAt === null) return 'never expires';
  const isOver = uses === maxUses || Date.parse(expiresAt) <= Date.now();
  return (
    <>
      {isOver ? 'ended' : 'expires'} <Ago at={expiresAt} />
    </>
  );
}

function Revoke({ invitation, onClose }: { invitation: InvitationRowFragment; onClose: () => void }) {
  const { run, isBusy, problem } = useAction(OperatorRevokeInvitationDocument, { isQuiet: true });
  const revoke = async () => {
    if (await run({ input: { invitationId: invitation.id } })) onClose();
  };
  return (
    <Danger
      title={`Revoke the invitation ${nameOf(invitation)}?`}
      doIt="Revoke invitation"
      onDo={() => void revoke()}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>Its link stops working immediately. People who signed up with it keep their accounts.</p>
    </Danger>
  );
}
