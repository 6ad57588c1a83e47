import { useEffect, useState } from 'react';
import { hasToEnd } from '../ui/dialog.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

const Switcher = lazyDialog(() => import('./switcher.js'));

/** Opens the list of everything of one's own, as Ctrl+K and ⌘K do while no dialog has to be ended first. */
export function SwitcherButton() {
  const [isOpen, setOpen] = useState(false);
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
      {isOpen && <Switcher onClose={() => setOpen(false)} />}
    </>
  );
}
