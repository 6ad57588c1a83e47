import { Link, useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { FrameDocument } from '../../gql/frame.js';
import { ClaimInstanceDocument } from '../../gql/instance/setup.js';
import type { FrameQuery } from '../../gql/types.js';
import { useMe } from '../../me.js';
import { forgetSetupToken, setupToken } from '../../setup-token.js';
import { useAction } from '../../ui/action.js';
import { WholeRefusal } from '../../ui/form.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, useTitle } from '../../ui/page.js';
import { say } from '../../ui/toasts.js';

/** Opened by the set-up link, whose fragment is a token. */
export function Setup() {
  useTitle('Set up this instance');
  const me = useMe();
  if (!me) return <Skeleton />;
  return (
    <div className="card narrow">
      <div className="heading">
        <Heading>Set up this instance</Heading>
      </div>
      <p>An instance needs operators, who look after it. Operators can:</p>
      <ul>
        <li>see all people, applications and servers, with names and counts, but not their messages</li>
        <li>suspend people and applications, and end the suspension</li>
        <li>give a server a new owner, and delete servers</li>
        <li>invite people, and disconnect boxes</li>
        <li>make others operators, or moderators, who can do all this but not choose operators</li>
      </ul>
      <p>Everything that they do appears in the audit log of the instance.</p>
      <Next token={setupToken()} me={me} />
    </div>
  );
}

function Next({ token, me: { username, operatorRole } }: { token: string; me: NonNullable<FrameQuery['me']> }) {
  if (operatorRole === 'OPERATOR')
    return (
      <p className="hint">
        You are an operator of this instance. Go to <Link to="/instance">Instance</Link>.
      </p>
    );
  return token === '' ? <NoToken /> : <Claim token={token} username={username} />;
}

function NoToken() {
  return (
    <p className="hint">
      To become the first operator, open the whole link that the instance prints when it starts. What follows the number
      sign (<code>#</code>) is missing here.
    </p>
  );
}

function Claim({ token, username }: { token: string; username: string }) {
  const client = useClient();
  const navigate = useNavigate();
  const claim = useAction(ClaimInstanceDocument, { isQuiet: true });
  const become = async () => {
    if (!(await claim.run({ input: { token } }))) return;
    forgetSetupToken();
    await client.query(FrameDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    say('You are the operator of this instance.');
    void navigate({ to: '/instance/people', replace: true });
  };
  return (
    <>
      <p>
        You are signed in as <bdi>{username}</bdi>. This link works once.
      </p>
      <WholeRefusal problem={claim.problem} />
      <div className="actions">
        <button type="button" disabled={claim.isOff} onClick={become}>
          Become the operator
        </button>
        <Link className="button plain" to="/">
          Not now
        </Link>
      </div>
    </>
  );
}
