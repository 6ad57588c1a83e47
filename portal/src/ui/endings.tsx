import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { RequestId } from './form.js';
import { Heading, useTitle } from './page.js';
import { isMalformedId, sentenceOf, unshownProblem } from './problems.js';

/**
 * One text for missing objects, hidden ones and malformed ids.
 * @param isPart whether the page already has its heading
 */
export function NotFound({ isPart = false }: { isPart?: boolean }) {
  return (
    <Ending title="Not found" text="There is nothing here, or you don't have access to it." isPart={isPart}>
      <Link className="button" to="/">
        Go to the home page
      </Link>
    </Ending>
  );
}

export function Unshown({ error, isPart = false }: { error: CombinedError; isPart?: boolean }) {
  const problem = unshownProblem(error);
  if (problem.code === 'NOT_FOUND' || isMalformedId(error)) return <NotFound isPart={isPart} />;
  return (
    <Ending
      title="This could not be loaded"
      text={sentenceOf(problem)}
      note={<RequestId problem={problem} />}
      isPart={isPart}
    >
      <button type="button" onClick={() => window.location.reload()}>
        Reload page
      </button>
    </Ending>
  );
}

interface EndingProps {
  title: string;
  text: ReactNode;
  note?: ReactNode;
  children: ReactNode;
  isPart?: boolean;
}

export function Ending({ title, text, note, children, isPart = false }: EndingProps) {
  useTitle(title);
  return (
    <div className="card narrow">
      {isPart ? <h2>{title}</h2> : <Heading>{title}</Heading>}
      <p>{text}</p>
      {note}
      <div className="actions">{children}</div>
    </div>
  );
}
