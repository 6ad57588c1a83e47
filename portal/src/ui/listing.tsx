import { type ReactNode, useState } from 'react';
import type { CombinedError } from 'urql';
import { WholeRefusal } from './form.js';
import { unshownProblem } from './problems.js';

interface ListingProps<Item> {
  answer: Unanswered;
  /** Undefined while loading. */
  items: readonly Item[] | undefined;
  /** Default: tiles. */
  shape?: 'tiles' | 'list';
  /** Explains what the items are for. */
  empty: string;
  render(item: Item): ReactNode;
}

export function Listing<Item>({ answer, items, shape = 'tiles', empty, render }: ListingProps<Item>) {
  if (!items) return <Awaited answer={answer} />;
  if (items.length === 0) return <p className="hint">{empty}</p>;
  return <ul className={shape}>{items.map(render)}</ul>;
}

interface Unanswered {
  error?: CombinedError | undefined;
  again?: () => void;
}

/** Loading placeholder, or the error. */
export function Awaited({ answer: { error, again }, lines }: { answer: Unanswered; lines?: number }) {
  return error ? <Refused error={error} again={again} /> : <Skeleton lines={lines} />;
}

interface RefusedProps {
  error: CombinedError;
  again?: (() => void) | undefined;
}

export function Refused({ error, again }: RefusedProps) {
  return (
    <WholeRefusal problem={unshownProblem(error)}>
      {again && (
        <button type="button" className="plain" onClick={again}>
          Try again
        </button>
      )}
    </WholeRefusal>
  );
}

/** Page size of the server's lists. */
const PER_PAGE = 200;

/** Whether there may be another page. */
export function isFull<Item>(items: readonly Item[] | undefined): items is readonly Item[] {
  return items !== undefined && items.length >= PER_PAGE;
}

export function More({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return children;
  return (
    <button type="button" className="plain" onClick={() => setOpen(true)}>
      Show more
    </button>
  );
}

export function Skeleton({ lines = 3 }: { lines?: number | undefined }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
