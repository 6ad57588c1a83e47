import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import type { Problem } from './problems.js';
import { useCountdown } from './times.js';

interface FormProps {
  children: ReactNode;
  /** What sends it: its buttons. They are off while it is being sent, and while it is too early to try again. */
  buttons: (isOff: boolean) => ReactNode;
  onSubmit: () => void;
  problem: Problem | null;
  isBusy: boolean;
}

/** A form whose refusal stands above its buttons or at its fields; the first field with a fault takes the focus. */
export function Form({ children, buttons, onSubmit, problem, isBusy }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problem]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {children}
      <Refusal problem={problem} seconds={seconds} />
      {buttons(isBusy || seconds > 0)}
    </form>
  );
}

/** What was refused, in words. */
export function Refusal({ problem, seconds = 0 }: { problem: Problem | null; seconds?: number }) {
  if (!problem?.message) return null;
  return (
    <div className="notice" role="alert">
      <p>{problem.message}</p>
      {seconds > 0 && <p>You can try again in {seconds} s.</p>}
    </div>
  );
}
