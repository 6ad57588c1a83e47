import { useMemo, useState } from 'react';
import { InviteTesterDocument } from '../../gql/testers/testers.js';
import { useAction } from '../../ui/action.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import type { Problem } from '../../ui/problems.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from '../applications/application.js';
import { nameOf } from '../teams/person.js';
import { AddMe } from './add-me.js';

/** Invites a user by email address or id. */
export function InviteTester({ off }: { off: { disabled?: true } }) {
  const { id } = useApplication();
  const [typed, setTyped] = useState('');
  const { run, isBusy, problem: refused } = useAction(InviteTesterDocument, { isQuiet: true });
  const problem = useMemo(() => atField(refused), [refused]);
  const invite = async (whom: Whom) => {
    const done = await run({ input: { applicationId: id, ...whom } });
    if (!done) return;
    const { user, state } = done.inviteTester.tester;
    say(state === 'ACCEPTED' ? `${nameOf(user)} is now a tester` : `Invitation sent to ${nameOf(user)}`);
    // The user may have typed another one during the request.
    setTyped((before) => (before === typed ? '' : before));
  };
  return (
    <section className="card">
      <h2>Invite a tester</h2>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={typed !== ''}
        onSubmit={() => invite(whomOf(typed))}
        buttons={(isOff) => (
          <div className="actions">
            <button type="submit" disabled={isOff || typed.trim() === ''} {...off}>
              Invite tester
            </button>
            <AddMe />
          </div>
        )}
      >
        <TextField
          label="E-mail address or user ID"
          hint={READS_AS[kindOf(typed)]}
          autoComplete="off"
          autoCapitalize="none"
          value={typed}
          fault={problem?.fields.email ?? problem?.fields.userId}
          onChange={({ target }) => setTyped(target.value)}
          {...off}
        />
      </Form>
    </section>
  );
}

type Whom = { email: string } | { userId: string };

type Kind = 'nothing' | 'userId' | 'email';

const READS_AS: Record<Kind, string> = {
  nothing: 'The person needs an account here. They get an email and see the invitation on their home page.',
  userId: 'Treated as a user ID.',
  email: 'Treated as an email address.',
};

function kindOf(typed: string): Kind {
  if (typed.trim() === '') return 'nothing';
  return /^\d+$/.test(typed.trim()) ? 'userId' : 'email';
}

function whomOf(typed: string): Whom {
  return kindOf(typed) === 'userId' ? { userId: typed.trim() } : { email: typed.trim() };
}

/** The error of an unknown id names no field. */
function atField(problem: Problem | null): Problem | null {
  if (problem?.code !== 'NOT_FOUND' || problem.message === null) return problem;
  return { ...problem, message: null, fields: { userId: 'There is no user with this ID.' } };
}
