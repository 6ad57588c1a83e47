import { type ReactNode, useState } from 'react';
import type { CombinedError } from 'urql';
import { WholeRefusal } from './form.js';
import { unshownProblem } from './problems.js';

interface ListingProps<Item> {
  answer: Unanswered;
  /** Undefined while they are on their way. */
  items: readonly Item[] | undefined;
  /** Tiles side by side unless it says otherwise. */
  shape?: 'tiles' | 'list';
  /** What the things are for, where there are none. */
  empty: string;
  render(item: Item): ReactNode;
}

/** A list as it is: on its way, refused, empty or full. */
export function Listing<Item>({ answer, items, shape = 'tiles', empty, render }: ListingProps<Item>) {
  if (!items) return <Awaited answer={answer} />;
  if (items.length === 0) return <p className="hint">{empty}</p>;
  return <ul className={shape}>{items.map(render)}</ul>;
}

interface Unanswered {
  error?: CombinedError | undefined;
  again?: () => void;
}

/** What stands where something was asked for and is not there: why not, or that it is on its way. */
export function Awaited({ answer: { error, again }, lines }: { answer: Unanswered; lines?: number }) {
  return error ? <Refused error={error} again={again} /> : <Skeleton lines={lines} />;
}

interface RefusedProps {
  error: CombinedError;
  /** Asks once more. */
  again?: (() => void) | undefined;
}

/** Why there is nothing to show, and a button that asks again. */
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

/** How many a list holds at most. */
const PER_PAGE = 200;

/** Whether a list may go on. */
export function isFull<Item>(items: readonly Item[] | undefined): items is readonly Item[] {
  return items !== undefined && items.length >= PER_PAGE;
}

/** The rest of a list, once somebody asks for it. */
export function More({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return children;
  return (
    <button type="button" className="plain" onClick={() => setOpen(true)}>
      Show more
    </button>
  );
}

/** The shape of what is on its way. */
export function Skeleton({ lines = 3 }: { lines?: number | undefined }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
