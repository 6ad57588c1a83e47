import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { TranscriptEntry } from '../../src/sandbox/protocol.js';
import type { Control } from './control.js';
import { useTranscript } from './transcript.js';

type Kind = TranscriptEntry['kind'];

/** With the look of each. */
const KINDS: Record<Kind, string> = {
  person: 'accent',
  refused: 'bad',
  event: 'good',
  gateway: '',
  request: 'accent',
  endpoint: 'good',
  fault: 'warn',
  world: '',
};

const isKind = (name: string): name is Kind => name in KINDS;
const ALL = Object.keys(KINDS).filter(isKind);

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** The keyboard scrolls it. */
const SCROLLABLE = { tabIndex: 0 };

export function TranscriptLog({ control, worldId }: { control: Control; worldId: string }) {
  const log = useRef<HTMLElement>(null);
  const entries = useTranscriptInView(log, control, worldId);
  const [hidden, setHidden] = useState<readonly Kind[]>([]);
  const shown = entries.filter(({ kind }) => !hidden.includes(kind));
  const toggle = (kind: Kind) =>
    setHidden((before) => (before.includes(kind) ? before.filter((one) => one !== kind) : [...before, kind]));
  return (
    <section className="card sandbox-transcript" aria-labelledby="transcript">
      <h2 id="transcript">Transcript</h2>
      <fieldset className="buttons sandbox-kinds">
        <legend className="for-readers">Shown kinds</legend>
        {ALL.map((kind) => (
          <button
            key={kind}
            type="button"
            className="plain small"
            aria-pressed={!hidden.includes(kind)}
            onClick={() => toggle(kind)}
          >
            {kind}
          </button>
        ))}
      </fieldset>
      <section ref={log} className="sandbox-log" role="log" aria-labelledby="transcript" {...SCROLLABLE}>
        {shown.length === 0 && (
          <p className="soft">
            {entries.length === 0
              ? 'Nothing happened yet. Start a bot, or play as a person.'
              : 'All entries are hidden.'}
          </p>
        )}
        <ol>
          {shown.map((entry) => (
            <Entry key={entry.number} entry={entry} />
          ))}
        </ol>
      </section>
    </section>
  );
}

function Entry({ entry: { at, kind, text, data } }: { entry: TranscriptEntry }) {
  const [isOpen, open] = useState(false);
  const line = (
    <>
      <time dateTime={at}>{TIME.format(new Date(at))}</time>
      <span className={`badge ${KINDS[kind]}`}>{kind}</span>
      <span className="sandbox-text">{text}</span>
    </>
  );
  if (data === undefined) return <li className="sandbox-line">{line}</li>;
  return (
    <li>
      <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
        <summary className="sandbox-line">{line}</summary>
        {isOpen && <pre>{JSON.stringify(data, null, 2)}</pre>}
      </details>
    </li>
  );
}

/** How far above its end the log counts as being there. */
const NEAR_PX = 40;

/** Keeps the end of the log in view if it was in view when entries came. */
function useTranscriptInView(log: RefObject<HTMLElement | null>, control: Control, worldId: string) {
  const wasAtEnd = useRef(true);
  const note = useCallback(() => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = log.current ?? {};
    wasAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }, [log]);
  const entries = useTranscript(control, worldId, note);
  useLayoutEffect(() => {
    if (entries.length > 0 && log.current && wasAtEnd.current) log.current.scrollTop = log.current.scrollHeight;
  }, [log, entries]);
  return entries;
}
