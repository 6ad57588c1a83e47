import { useState } from 'react';
import {
  AcceptTeamInvitationDocument,
  AcceptTesterInvitationDocument,
  DeclineTeamInvitationDocument,
  DeclineTesterInvitationDocument,
} from '../../gql/home/home.js';
import type { HomeFragment } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { WholeRefusal } from '../../ui/form.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import type { Problem } from '../../ui/problems.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { say } from '../../ui/toasts.js';
import { VerifyAddress } from '../account/verify-address.js';
import { ROLE_WORDS } from '../teams/role-words.js';

export function Invitations({ home: { teamInvitations, testerInvitations } }: { home: HomeFragment }) {
  const [tested, setTested] = useState<readonly Tested[]>([]);
  const count = teamInvitations.length + testerInvitations.length;
  const rows = useRowFocus();
  if (count + tested.length === 0) return null;
  return (
    <section aria-label="Invitations">
      <h2>Invitations</h2>
      {count > 0 && <VerifyAddress />}
      <ul className="tiles" ref={rows}>
        {tested.map((one) => (
          <Installable key={one.id} tested={one} />
        ))}
        {teamInvitations.map((invitation) => (
          <ToTeam key={invitation.id} invitation={invitation} />
        ))}
        {testerInvitations.map(({ application }) => (
          <ToTest
            key={application.id}
            application={application}
            onAccepted={(installUrl) => setTested((before) => [...before, { ...application, installUrl }])}
          />
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
      text={`${inviter.username} invited you to this team. Your role: ${ROLE_WORDS[role]}.`}
      accept={() => accept.run({ id })}
      decline={() => decline.run({ id })}
      isOff={accept.isOff || decline.isOff}
      problem={accept.problem ?? decline.problem}
    />
  );
}

type ToBeTested = HomeFragment['testerInvitations'][number]['application'];

/** An application that the user just became a tester of. */
type Tested = ToBeTested & { installUrl: string | null };

/** Testers see no other page of the application. */
function Installable({ tested: { name, iconUrl, installUrl } }: { tested: Tested }) {
  return (
    <li className="tile invitation">
      <Picture url={iconUrl} name={name} />
      <div>
        <Name>{name}</Name>
        <p className="soft small">
          {installUrl
            ? 'You are now a tester and can install this application.'
            : 'You are now a tester. Ask the person who invited you for the install link.'}
        </p>
        {installUrl && (
          <div className="actions">
            <a className="button small" href={installUrl} aria-label={`Install ${name}`}>
              Install
            </a>
          </div>
        )}
      </div>
    </li>
  );
}

interface ToTestProps {
  application: ToBeTested;
  onAccepted: (installUrl: string | null) => void;
}

function ToTest({ application, onAccepted }: ToTestProps) {
  const accept = useAction(AcceptTesterInvitationDocument, { isQuiet: true });
  const decline = useAction(DeclineTesterInvitationDocument, { isQuiet: true });
  const { id, name, iconUrl } = application;
  return (
    <Invitation
      name={name}
      iconUrl={iconUrl}
      text="You were invited to test this application. Testers can install it while it is private."
      accept={async () => {
        const done = await accept.run({ id });
        if (done) onAccepted(done.acceptTesterInvitation.tester.application.installUrl);
        return done;
      }}
      decline={() => decline.run({ id })}
      isOff={accept.isOff || decline.isOff}
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
  isOff: boolean;
  problem: Problem | null;
}

function Invitation({ name, iconUrl, text, accept, decline, isOff, problem }: InvitationProps) {
  const answer = async (give: () => Promise<unknown>, word: string) => {
    if (await give()) say(`${word}: ${name}`);
  };
  return (
    <li className="tile invitation">
      <Picture url={iconUrl} name={name} />
      <div>
        <Name>{name}</Name>
        <p className="soft small">{text}</p>
        <WholeRefusal problem={problem} />
        <div className="actions">
          <button
            type="button"
            className="small"
            aria-label={`Accept: ${name}`}
            disabled={isOff}
            onClick={() => answer(accept, 'Accepted')}
          >
            Accept
          </button>
          <button
            type="button"
            className="plain small"
            aria-label={`Decline: ${name}`}
            disabled={isOff}
            onClick={() => answer(decline, 'Declined')}
          >
            Decline
          </button>
        </div>
      </div>
    </li>
  );
}
