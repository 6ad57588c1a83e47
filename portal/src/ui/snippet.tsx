import { CopyButton } from './copy.js';

interface SnippetProps {
  title: string;
  text: string;
  /** What the button copies, for who does not see where it stands. */
  what: string;
}

/** Lines for a program, to be copied. */
export function Snippet({ title, text, what }: SnippetProps) {
  return (
    <div className="snippet">
      <div className="heading">
        <h3>{title}</h3>
        <CopyButton text={text} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
