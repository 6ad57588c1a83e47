import { useEffect, useState } from 'react';

/** For how long it is said that something was copied, in milliseconds. */
const SAID_MS = 4_000;

/** Puts a text into the clipboard, and says so for a while. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, say] = useState('');
  useEffect(() => {
    if (said !== COPIED) return;
    const timer = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    // What is said already would not be read out again.
    say('');
    try {
      await navigator.clipboard.writeText(text);
      say(COPIED);
    } catch {
      say('Not copied: the browser does not allow it here. Select the text instead.');
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

/** An id, a key or an address, with a button that copies it. */
export function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div className="copyable">
      <span className="label">{label}</span>
      <code>{text}</code>
      <CopyButton text={text} what={label} />
    </div>
  );
}
