import { useState } from 'react';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import type { Problem } from '../../ui/problems.js';
import { askAccounts } from './accounts.js';

interface SignInFormProps {
  email: string;
  setEmail: (email: string) => void;
  onDone: () => void;
}

export function SignInForm({ email, setEmail, onDone }: SignInFormProps) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    const refused = await askAccounts('sign-in/email', { email, password });
    setBusy(false);
    setProblem(refused);
    if (!refused) onDone();
    else if (refused.code === 'UNAUTHENTICATED') setPassword('');
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={signIn}
      buttons={(isOff) => (
        <div className="actions">
          <button type="submit" disabled={isOff}>
            Sign in
          </button>
        </div>
      )}
    >
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="username"
        maxLength={254}
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        fault={problem?.fields.email}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        fault={problem?.fields.password}
      />
    </Form>
  );
}
