import { type ReactNode, useEffect, useState } from 'react';
import { useUnsaved } from '../unsaved.js';
import { CopyButton } from './copy.js';
import { OpenDialog } from './dialog.js';

/** A secret that is shown this once. */
export interface Secret {
  /** Such as “Bot token”. */
  label: string;
  /** What it is called in a file of settings, such as `BOT_TOKEN`. */
  variable: string;
  value: string;
}

interface SecretsDialogProps {
  title: string;
  secrets: Secret[];
  /** Forgets them. */
  onDone: () => void;
  /** What to do with them. */
  children?: ReactNode;
}

/**
 * Shows secrets once. They live in the state of whoever opens it and in the fields of this dialog, and are gone with it: when it is
 * done, and when the page is left in whatever way, which is asked about before they are stored.
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
      <p>You see this only now. Store it where your program finds it, and nowhere else.</p>
      {secrets.map(({ label, value }) => (
        <div className="secret" key={label}>
          <span className="label">{label}</span>
          <code>{value}</code>
          <CopyButton text={value} what={label} />
        </div>
      ))}
      {children}
      <p>
        <DownloadEnv secrets={secrets} />
      </p>
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
  const download = () => {
    const lines = secrets.map(({ variable, value }) => `${variable}=${value}\n`);
    const address = URL.createObjectURL(new Blob(lines, { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: 'causeway.env' });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" className="plain" onClick={download}>
      Download as .env file
    </button>
  );
}
