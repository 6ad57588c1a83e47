import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Heading, useTitle } from './page.js';

/** One text for what is missing and for what somebody may not see. */
export function NotFound() {
  return (
    <Ending title="Not found" text="There is nothing here, or you may not see it.">
      <Link className="button" to="/">
        To the start page
      </Link>
    </Ending>
  );
}

/** A page that could not be shown by a fault of ours. */
export function Broken({ error }: Pick<ErrorComponentProps, 'error'>) {
  return (
    <Ending title="This page broke" text={error instanceof Error ? error.message : String(error)}>
      <button type="button" onClick={() => window.location.reload()}>
        Load it again
      </button>
    </Ending>
  );
}

/** A page at which something ends: what that means, and where to go on. */
export function Ending({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="card narrow">
      <Heading>{title}</Heading>
      <p>{text}</p>
      <div className="actions">{children}</div>
    </div>
  );
}
