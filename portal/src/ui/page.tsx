import { type ReactNode, useEffect, useRef } from 'react';

/** Names the tab of the browser: the nearest part first. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Causeway'].join(' – ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Whether the next page's heading is to take the focus, as it does after every navigation. */
let wantsFocus = false;

/** Moves the focus to the page's heading, or to that of the page that is on its way. */
export function focusHeading(): void {
  const heading = document.querySelector('h1');
  wantsFocus = heading === null;
  heading?.focus({ preventScroll: true });
}

/** Whether a field has the focus: a page that loads late must not take the keys away from it. */
function isTyping(): boolean {
  return document.activeElement?.matches('input, textarea, select') ?? false;
}

/** The one heading of a page. */
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

/** A name that somebody chose, kept from turning the direction of the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi>{children}</bdi>;
}
