import type { ReactNode } from 'react';
import { useOpenLink } from './open-link.js';

/** Section navigation: a sidebar on wide screens, a row above the content on narrow ones. */
export function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="side" aria-label={label} ref={useOpenLink()}>
      {children}
    </nav>
  );
}
