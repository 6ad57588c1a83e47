import { useState } from 'react';
import {
  AcceptTeamInvitationDocument,
  AcceptTesterInvitationDocument,
  DeclineTeamInvitationDocument,
  DeclineTesterInvitationDocument,
} from '../../gql/home/home.js';
import type { HomeFragment } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import type { Problem } from '../../ui/problems.js';
import { sentenceOf } from '../../ui/problems.js';
import { say } from '../../ui/toasts.js';
import { VerifyAddress } from '../account/verify-address.js';
import { ROLE_WORDS } from '../teams/role-words.js';

/** What others asked of the caller, which is told live: an invitation that was answered or taken back goes by itself. */
export function Invitations({ home: { teamInvitations, testerInvitations } }: { home: HomeFragment }) {
  if (teamInvitations.length + testerInvitations.length === 0) return null;
  return (
    <section aria-label="Invitations">
      <h2>Invitations</h2>
      <VerifyAddress />
      <ul className="tiles">
        {teamInvitations.map((invitation) => (
          <ToTeam key={invitation.id} invitation={invitation} />
        ))}
        {testerInvitations.map(({ application }) => (
          <ToTest key={application.id} application={application} />
        ))}
      </ul>
    </section>
  );
}

function ToTeam({ invitation: { id, role, inviter, team } }: { invitation: HomeFragment['teamInvitations'][number] }) {
  const accept = useAction(AcceptTeamInvitationDocument, { isQuiet: true });
  const decline = useAction(DeclineTeamInvitationDocument, { isQuiet: true });
  return (
    <Invitation
      name={team.name}
      iconUrl={team.iconUrl}
      text={`${inviter.username} invites you to the team, as ${ROLE_WORDS[role]}.`}
      accept={() => accept.run({ id })}
      decline={() => decline.run({ id })}
      problem={accept.problem ?? decline.problem}
    />
  );
}

function ToTest({ application }: { application: HomeFragment['testerInvitations'][number]['application'] }) {
  const accept = useAction(AcceptTesterInvitationDocument, { isQuiet: true });
  const decline = useAction(DeclineTesterInvitationDocument, { isQuiet: true });
  const { id, name, iconUrl } = application;
  return (
    <Invitation
      name={name}
      iconUrl={iconUrl}
      text="Test it: you may install it while it is private."
      accept={() => accept.run({ id })}
      decline={() => decline.run({ id })}
      problem={accept.problem ?? decline.problem}
    />
  );
}

interface InvitationProps {
  name: string;
  iconUrl: string | null;
  text: string;
  accept(): Promise<unknown>;
  decline(): Promise<unknown>;
  problem: Problem | null;
}

function Invitation({ name, iconUrl, text, accept, decline, problem }: InvitationProps) {
  const [isBusy, setBusy] = useState(false);
  const answer = async (give: () => Promise<unknown>, word: string) => {
    setBusy(true);
    const done = await give();
    setBusy(false);
    if (done) say(`${word}: ${name}`);
  };
  return (
    <li className="tile invitation">
      <Picture url={iconUrl} name={name} />
      <div>
        <Name>{name}</Name>
        <p className="soft small">{text}</p>
        {problem && (
          <p className="fault" role="alert">
            {sentenceOf(problem)}
          </p>
        )}
        <div className="actions">
          <button type="button" className="small" disabled={isBusy} onClick={() => answer(accept, 'Accepted')}>
            Accept
          </button>
          <button type="button" className="plain small" disabled={isBusy} onClick={() => answer(decline, 'Declined')}>
            Decline
          </button>
        </div>
      </div>
    </li>
  );
}
