import type { ReactNode } from 'react';
import { useOpenLink } from './open-link.js';

/** The links to the parts of a noun: beside them on a wide screen, in a row above them on a narrow one. */
export function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="side" aria-label={label} ref={useOpenLink()}>
      {children}
    </nav>
  );
}
