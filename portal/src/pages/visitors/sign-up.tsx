import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { RegistrationMode } from '../../gql/types.js';
import { setupToken } from '../../setup-token.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Heading, useTitle } from '../../ui/page.js';
import type { Problem } from '../../ui/problems.js';
import { askAccounts, readRegistration } from './accounts.js';
import { useGoOn } from './sign-in.js';
import { Visitors } from './visitors.js';

export function SignUp() {
  useTitle('Sign up');
  const { next } = useSearch({ from: '/sign-up' });
  // The fragment of an invitation's link is its code.
  const { hash } = useLocation();
  const invitation = hash || setupToken();
  const [mode, setMode] = useState<RegistrationMode | null>(null);
  useEffect(() => void readRegistration().then(setMode), []);
  const asksInvitation = invitation !== '' || (mode !== null && mode !== 'OPEN');
  // The set-up link is an invitation also if the registration is closed.
  const isClosed = mode === 'CLOSED' && setupToken() === '';
  const goOn = useGoOn(next);
  const [details, setDetails] = useState({ name: '', email: '', password: '', invitation });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const signUp = async () => {
    setBusy(true);
    const refused = await askAccounts('sign-up/email', details);
    setBusy(false);
    setProblem(refused);
    if (!refused) goOn();
  };
  const field = (name: keyof typeof details) => ({
    name,
    value: details[name],
    fault: problem?.fields[name],
    onChange: ({ target }: { target: { value: string } }) => setDetails({ ...details, [name]: target.value }),
  });
  return (
    <Visitors>
      <Heading>Sign up</Heading>
      {isClosed ? (
        <p className="notice warn">This instance does not accept new accounts.</p>
      ) : (
        <Form
          problem={problem}
          isBusy={isBusy}
          onSubmit={signUp}
          buttons={(isOff) => (
            <div className="actions">
              <button type="submit" disabled={isOff}>
                Sign up
              </button>
            </div>
          )}
        >
          <TextField
            label="Username"
            hint="2–32 characters: lowercase letters a–z, digits, dots and underscores."
            autoComplete="nickname"
            autoCapitalize="none"
            maxLength={32}
            {...field('name')}
          />
          <TextField label="E-mail address" type="email" autoComplete="username" maxLength={254} {...field('email')} />
          <TextField
            label="Password"
            hint="8–128 characters."
            type="password"
            autoComplete="new-password"
            maxLength={128}
            {...field('password')}
          />
          {asksInvitation && (
            <TextField
              label="Invitation"
              hint={
                invitation === ''
                  ? 'You need an invitation to sign up. Ask an operator of this instance for a link.'
                  : 'From the link that you opened.'
              }
              autoComplete="off"
              maxLength={200}
              {...field('invitation')}
            />
          )}
        </Form>
      )}
      <p className="soft small">
        Already have an account?{' '}
        <Link to="/sign-in" search={next === undefined ? {} : { next }}>
          Sign in
        </Link>
        .
      </p>
    </Visitors>
  );
}
