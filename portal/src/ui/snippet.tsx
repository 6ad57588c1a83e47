import { CopyButton } from './copy.js';

interface SnippetProps {
  title: string;
  text: string;
  /** For the accessible name of the copy button. */
  what: string;
}

export function Snippet({ title, text, what }: SnippetProps) {
  return (
    <div className="snippet">
      <div className="heading">
        <h3>{title}</h3>
        <CopyButton text={text} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll long lines */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
