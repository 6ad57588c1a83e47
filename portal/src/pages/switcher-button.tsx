import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { complain } from '../ui/toasts.js';

const Switcher = lazy(async (): Promise<{ default: ComponentType<{ onClose: () => void }> }> => {
  try {
    return await import('./switcher.js');
  } catch {
    return { default: Unloaded };
  }
});

/** Opens the list of everything of one's own, as Ctrl+K and ⌘K do. */
export function SwitcherButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" className="switcher" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Switcher onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function Unloaded({ onClose }: { onClose: () => void }) {
  useEffect(() => {
    complain('The list could not be loaded. Load the page again.');
    onClose();
  }, [onClose]);
  return null;
}
