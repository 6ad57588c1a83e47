import { type RefObject, useEffect, useRef, useState } from 'react';
import { hasToEnd } from '../ui/dialog.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

const Switcher = lazyDialog(() => import('./switcher.js'));

/** Opens the list of everything of one's own, as Ctrl+K and ⌘K do while no dialog has to be ended first. */
export function SwitcherButton() {
  const [isOpen, setOpen] = useState(false);
  const early = useEarlyKeys(isOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!hasToEnd()) setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" className="switcher" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Switcher early={early} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What is typed before the list's file came: null from when its own field takes the keys. */
function useEarlyKeys(isOpen: boolean): RefObject<string | null> {
  const early = useRef<string | null>(null);
  useEffect(() => {
    if (!isOpen) return;
    early.current = '';
    const onKey = (event: KeyboardEvent) => {
      if (early.current === null || event.key.length > 1 || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      early.current += event.key;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOpen]);
  return early;
}
