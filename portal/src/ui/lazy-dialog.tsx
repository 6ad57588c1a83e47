import { type ComponentType, useEffect } from 'react';
import { lazyPart } from './lazy-part.js';
import { complain } from './toasts.js';

interface Closing {
  onClose: () => void;
}

/** A dialog loaded on first use. If loading fails, a toast says so and the dialog closes. */
export function lazyDialog<Props extends Closing>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPart<Props>(load, Unloaded);
}

function Unloaded({ onClose }: Closing) {
  useEffect(() => {
    complain('This could not be loaded. Load the page again.');
    onClose();
  }, [onClose]);
  return null;
}
