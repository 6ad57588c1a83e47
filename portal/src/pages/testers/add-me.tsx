import { InviteTesterDocument } from '../../gql/testers/testers.js';
import { useMyId } from '../../me.js';
import { useAction } from '../../ui/action.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from '../applications/application.js';
import { useReason } from '../applications/reasons.js';

export function AddMe() {
  const application = useApplication();
  const myId = useMyId();
  const { run, isOff } = useAction(InviteTesterDocument);
  const reason = useReason('MANAGE_TESTERS');
  const isListed = application.testers.some(({ user, state }) => user.id === myId && state === 'ACCEPTED');
  if (!myId || isListed) return null;
  const add = async () => {
    const done = await run({ input: { applicationId: application.id, userId: myId } });
    if (done) say('You are now a tester');
  };
  return (
    <button type="button" className="plain" disabled={isOff || reason !== undefined} onClick={add}>
      Add me as a tester
    </button>
  );
}
