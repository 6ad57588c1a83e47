import { type ReactNode, useEffect, useState } from 'react';
import { useUnsaved } from '../unsaved.js';
import { CopyButton } from './copy.js';
import { OpenDialog } from './dialog.js';

export interface Secret {
  /** For example “Bot token”. */
  label: string;
  /** Name in the `.env` file, for example `BOT_TOKEN`. A secret without a name cannot be downloaded. */
  variable?: string;
  value: string;
}

interface SecretsDialogProps {
  title: string;
  secrets: Secret[];
  /** Must drop the secrets. */
  onDone: () => void;
  children?: ReactNode;
}

/**
 * Shows secrets once. They exist only in the opener's state and this dialog, and are dropped on leaving.
 * Leaving asks first until the user confirms that they are stored.
 */
export function SecretsDialog({ title, secrets, onDone, children }: SecretsDialogProps) {
  const [isStored, setStored] = useState(false);
  useUnsaved(!isStored, 'secret');
  useEffect(() => {
    window.addEventListener('pagehide', onDone);
    return () => window.removeEventListener('pagehide', onDone);
  }, [onDone]);
  return (
    <OpenDialog title={title}>
      <p>You won't be able to see this again. Store it securely before you continue.</p>
      {secrets.map(({ label, value }) => (
        <div className="secret" key={label}>
          <span className="label">{label}</span>
          <code>{value}</code>
          <CopyButton text={value} what={label} />
        </div>
      ))}
      {children}
      <DownloadEnv secrets={secrets} />
      <div className="check">
        <label>
          <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />I have stored
          {secrets.length > 1 ? ' them' : ' it'}
        </label>
      </div>
      <div className="actions">
        <button type="button" disabled={!isStored} onClick={onDone}>
          Done
        </button>
      </div>
    </OpenDialog>
  );
}

function DownloadEnv({ secrets }: { secrets: Secret[] }) {
  const named = secrets.filter(({ variable }) => variable !== undefined);
  if (named.length === 0) return null;
  const download = () => {
    const lines = named.map(({ variable, value }) => `${variable}=${value}\n`);
    const address = URL.createObjectURL(new Blob(lines, { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: 'causeway.env' });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <p>
      <button type="button" className="plain" onClick={download}>
        Download as .env file
      </button>
    </p>
  );
}
