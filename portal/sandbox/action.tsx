import { createContext, useContext, useState } from 'react';
import type { Control } from './control.js';
import { messageOf } from './sandbox-state.js';

export interface Actions {
  control: Control;
  /** Shows what an action changed. */
  refresh: () => Promise<void>;
}

export const ActionsContext = createContext<Actions | null>(null);

/** Runs actions of one part of the page, and keeps the message of a refused one. */
export function useAction() {
  const actions = useContext(ActionsContext);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (work: (control: Control) => Promise<unknown>) => {
    if (!actions) return;
    setBusy(true);
    setProblem(null);
    try {
      await work(actions.control);
      await actions.refresh();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, problem };
}

export function Refusal({ problem }: { problem: string | null }) {
  return (
    <div role="alert" className="sandbox-refusal">
      {problem !== null && <p className="notice">{problem}</p>}
    </div>
  );
}
