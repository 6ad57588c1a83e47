import { KeepAccountDocument } from '../../gql/account/delete-account.js';
import { useMe } from '../../me.js';
import { useAction } from '../../ui/action.js';
import { WholeRefusal } from '../../ui/form.js';
import { At } from '../../ui/times.js';
import { say } from '../../ui/toasts.js';

/** On every page, until the account is deleted or kept. */
export function DeletionNotice() {
  const deletionAt = useMe()?.deletionAt;
  const { run, isOff, problem } = useAction(KeepAccountDocument, { isQuiet: true });
  if (!deletionAt) return null;
  const keep = async () => {
    if (await run({})) say('Your account stays.');
  };
  return (
    <section className="notice warn" aria-label="Deletion of your account">
      <p>
        Your account will be deleted on <At at={deletionAt} />. Until then, you can keep it.
      </p>
      <WholeRefusal problem={problem} />
      <div className="actions">
        <button type="button" className="plain" disabled={isOff} onClick={() => void keep()}>
          Keep my account
        </button>
      </div>
    </section>
  );
}
