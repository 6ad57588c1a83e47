import { useState } from 'react';
import { useMe } from '../../me.js';
import { Select, TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import type { Problem } from '../../ui/problems.js';
import { say } from '../../ui/toasts.js';
import { askAccounts } from '../visitors/accounts.js';
import { DeleteAccount } from './delete-account.js';
import { DownloadData } from './download-data.js';
import { PersonalTokens } from './personal-tokens.js';
import { Sessions } from './sessions.js';
import { SignOut } from './sign-out.js';
import { VerifyAddress } from './verify-address.js';

export function Account() {
  useTitle('Account');
  const me = useMe();
  return (
    <>
      <div className="heading">
        <Heading>Account</Heading>
        <SignOut className="plain" />
      </div>
      {me && (
        <section className="card">
          <h2>
            <Name>{me.username}</Name>
          </h2>
          <p>
            {me.email} {me.emailVerified && <span className="badge good">verified</span>}
          </p>
          <VerifyAddress />
        </section>
      )}
      <section className="card">
        <h2>Theme</h2>
        <Theme />
      </section>
      <section className="card">
        <h2>Password</h2>
        <ChangePassword />
      </section>
      <Sessions />
      <PersonalTokens />
      <DownloadData />
      <DeleteAccount />
    </>
  );
}

const THEMES = { system: 'System', light: 'Light', dark: 'Dark' };

function Theme() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme ?? 'system');
  const choose = (chosen: string) => {
    setTheme(chosen);
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem('theme', chosen);
  };
  return (
    <Select label="Theme" value={theme} onChange={({ target }) => choose(target.value)}>
      {Object.entries(THEMES).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  );
}

const EMPTY = { currentPassword: '', newPassword: '' };

function ChangePassword() {
  const [typed, setTyped] = useState(EMPTY);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = async () => {
    setBusy(true);
    const refused = await askAccounts('change-password', { ...typed, revokeOtherSessions: true });
    setBusy(false);
    setProblem(refused);
    if (refused) return;
    setTyped(EMPTY);
    say('Password changed. Your other sessions are signed out.');
  };
  const field = (name: keyof typeof EMPTY) => ({
    type: 'password',
    value: typed[name],
    fault: problem?.fields[name],
    onChange: ({ target }: { target: { value: string } }) => setTyped({ ...typed, [name]: target.value }),
  });
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      onSubmit={change}
      buttons={(isOff) => (
        <button type="submit" className="plain" disabled={isOff}>
          Change password
        </button>
      )}
    >
      <TextField label="Current password" autoComplete="current-password" {...field('currentPassword')} />
      <TextField
        label="New password"
        hint="8–128 characters. Changing your password signs out your other sessions."
        autoComplete="new-password"
        maxLength={128}
        {...field('newPassword')}
      />
    </Form>
  );
}
