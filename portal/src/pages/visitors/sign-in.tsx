import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { tellReturn } from '../../session.js';
import { setupToken } from '../../setup-token.js';
import { Heading, useTitle } from '../../ui/page.js';
import { isSignedIn } from './accounts.js';
import { SignInForm } from './sign-in-form.js';
import { Visitors } from './visitors.js';

export function SignIn() {
  useTitle('Sign in');
  const { next } = useSearch({ from: '/sign-in' });
  const goOn = useGoOn(next);
  const [email, setEmail] = useState('');
  return (
    <Visitors>
      <Heading>Sign in</Heading>
      <p className="soft">
        {setupToken() === ''
          ? 'Manage your applications, teams, servers and boxes.'
          : 'Sign in or sign up to become the operator of this instance.'}
      </p>
      <SignInForm email={email} setEmail={setEmail} onDone={goOn} />
      <p className="soft small">
        <a href="/oauth2/password">Forgot your password?</a>
      </p>
      <p className="soft small">
        No account yet?{' '}
        <Link to="/sign-up" search={next === undefined ? {} : { next }}>
          Sign up
        </Link>
        .
      </p>
    </Visitors>
  );
}

/** Opens the requested page after sign-in, or at once if the user is already signed in. */
export function useGoOn(next: string | undefined): () => void {
  const navigate = useNavigate();
  const goOn = useCallback(() => void navigate({ href: next ?? '/portal', replace: true }), [navigate, next]);
  useEffect(() => {
    void isSignedIn().then((isThere) => isThere && goOn());
  }, [goOn]);
  return () => {
    tellReturn();
    goOn();
  };
}
