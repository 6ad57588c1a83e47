import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { problemIn, sentenceOf } from './problems.js';

interface ListingProps<Item> {
  answer: { error?: CombinedError | undefined };
  /** Undefined while they are on their way. */
  items: readonly Item[] | undefined;
  /** What the things are for, where there are none. */
  empty: string;
  render(item: Item): ReactNode;
}

/** A list as it is: on its way, refused, empty or full. */
export function Listing<Item>({ answer, items, empty, render }: ListingProps<Item>) {
  if (!items) return answer.error ? <p className="notice">{sentenceOf(problemIn(answer.error))}</p> : <Skeleton />;
  if (items.length === 0) return <p className="hint">{empty}</p>;
  return <ul className="tiles">{items.map(render)}</ul>;
}

/** The shape of what is on its way. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
