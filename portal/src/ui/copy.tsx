import { useState } from 'react';

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, say] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied');
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
