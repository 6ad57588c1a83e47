import type { ReactNode } from 'react';
import { useOpenLink } from './open-link.js';

export function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="side" aria-label={label} ref={useOpenLink()}>
      {children}
    </nav>
  );
}
