import { type ComponentType, useEffect } from 'react';
import { lazyPart } from './lazy-part.js';
import { complain } from './toasts.js';

interface Closing {
  onClose: () => void;
}

/** A dialog whose file is loaded when it is opened first. Where it does not come, that is said, and the dialog is closed. */
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
