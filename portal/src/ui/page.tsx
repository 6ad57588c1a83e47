import { type ReactNode, useEffect, useRef } from 'react';

/** @param parts most specific first */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Causeway'].join(' – ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Whether the next heading to mount takes the focus. Set by a navigation whose page is still loading. */
let wantsFocus = false;

export function focusHeading(): void {
  const heading = document.querySelector('h1');
  wantsFocus = heading === null;
  heading?.focus({ preventScroll: true });
}

/** A page that loads late must not take the focus away from a field. */
function isTyping(): boolean {
  return document.activeElement?.matches('input, textarea, select') ?? false;
}

export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (wantsFocus && !isTyping()) heading.current?.focus({ preventScroll: true });
    wantsFocus = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** Isolates the text direction of the name. */
export function Name({ children }: { children: string }) {
  return <bdi>{children}</bdi>;
}
