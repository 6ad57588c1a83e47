import { CopyButton } from './copy.js';

interface SnippetProps {
  title: string;
  text: string;
  /** Accessible name of the copy button's target. */
  what: string;
}

/** Code block with a copy button. */
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
