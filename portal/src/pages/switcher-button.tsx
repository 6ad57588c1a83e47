import { useEffect, useState } from 'react';
import { hasToEnd } from '../ui/dialog.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

const Switcher = lazyDialog(() => import('./switcher.js'));

/** Ctrl+K and ⌘K do nothing while a dialog is open that must be ended first. */
export function SwitcherButton() {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!hasToEnd()) open();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" className="switcher" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <OpenSwitcher onClose={() => setOpen(false)} />}
    </>
  );
}

/** Collects key presses until the switcher's own field has the focus. */
function OpenSwitcher({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [entered, setEntered] = useState<string | null>(null);
  const [hasFocus, setFocus] = useState(false);
  const type = ({ key }: KeyboardEvent) => {
    if (key === 'Backspace') setText((typed) => [...typed].slice(0, -1).join(''));
    else if (key === 'Enter') setEntered(text);
    else if ([...key].length === 1) setText((typed) => typed + key);
    else return false;
    return true;
  };
  useEffect(() => {
    if (hasFocus) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') onClose();
      else if (type(event)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  return <Switcher {...{ text, setText, onClose }} isEntered={entered === text} onFocus={() => setFocus(true)} />;
}
