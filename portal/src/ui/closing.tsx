import { createContext, type ReactNode, use, useId, useState } from 'react';
import { isLostWithin, WithinContext } from '../unsaved.js';
import { LeaveQuestion } from './leave.js';

/** Closes a dialog or editor that may hold unsaved input. */
export interface Closing {
  id: string;
  /** Asks first if unsaved input would be lost. */
  close: () => void;
  isAsked: boolean;
  onStay: () => void;
  onLeave: () => void;
}

export function useClosing(onClose: () => void): Closing {
  const id = useId();
  const [isAsked, ask] = useState(false);
  return {
    id,
    isAsked,
    close: () => (isLostWithin(id) ? ask(true) : onClose()),
    onStay: () => ask(false),
    onLeave: () => {
      ask(false);
      onClose();
    },
  };
}

const CloseContext = createContext<() => void>(() => {});

/** Closes the nearest enclosing `Closable`. */
export function useClose(): () => void {
  return use(CloseContext);
}

export function Closable({ closing, children }: { closing: Closing; children: ReactNode }) {
  const { id, close, isAsked, onStay, onLeave } = closing;
  return (
    <WithinContext value={id}>
      <CloseContext value={close}>
        {children}
        {isAsked && <LeaveQuestion {...{ onStay, onLeave }} />}
      </CloseContext>
    </WithinContext>
  );
}
