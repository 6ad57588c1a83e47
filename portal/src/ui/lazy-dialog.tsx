import { type ComponentType, useEffect } from 'react';
import { lazyPart } from './lazy-part.js';
import { complain } from './toasts.js';

interface Closing {
  onClose: () => void;
}

/** Loads a dialog on first use. On failure, a toast says so and the dialog closes. */
export function lazyDialog<Props extends Closing>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPart<Props>(load, Unloaded);
}

function Unloaded({ onClose }: Closing) {
  useEffect(() => {
    complain('This could not be loaded. Reload the page.');
    onClose();
  }, [onClose]);
  return null;
}
