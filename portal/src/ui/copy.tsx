import { useEffect, useState } from 'react';

/** How long “Copied” is shown, in milliseconds. */
const SAID_MS = 4_000;

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, say] = useState('');
  useEffect(() => {
    if (said !== COPIED) return;
    const timer = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    // Screen readers do not announce an unchanged text again.
    say('');
    try {
      await navigator.clipboard.writeText(text);
      say(COPIED);
    } catch {
      say('Your browser blocked copying. Select the text and copy it yourself.');
    }
  };
  return (
    <span className="copy">
      <button type="button" className="plain small" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
      <span role="status" className="soft small">
        {said}
      </span>
    </span>
  );
}

const COPIED = 'Copied';

export function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div className="copyable">
      <span className="label">{label}</span>
      <code>{text}</code>
      <CopyButton text={text} what={label} />
    </div>
  );
}
