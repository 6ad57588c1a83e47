import { createContext, type ReactNode, use, useId, useState } from 'react';
import { isLostWithin, WithinContext } from '../unsaved.js';
import { LeaveQuestion } from './leave.js';

/** How something is closed in which something may be typed. */
export interface Closing {
  id: string;
  /** Asks first where what was typed would be lost. */
  close: () => void;
  isAsked: boolean;
  onStay: () => void;
  onLeave: () => void;
}

/** Closes something by itself: a dialog, or an editor on a page. */
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

/** What closes the nearest around it. */
export function useClose(): () => void {
  return use(CloseContext);
}

/** What is closed together, with the question before that. */
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
