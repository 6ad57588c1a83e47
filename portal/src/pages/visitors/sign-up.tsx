import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Heading, useTitle } from '../../ui/page.js';
import type { Problem } from '../../ui/problems.js';
import { askAccounts } from './accounts.js';
import { useGoOn } from './sign-in.js';
import { Visitors } from './visitors.js';

export function SignUp() {
  useTitle('Sign up');
  const { next } = useSearch({ from: '/sign-up' });
  const goOn = useGoOn(next);
  const [details, setDetails] = useState({ name: '', email: '', password: '' });
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
      </Form>
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
