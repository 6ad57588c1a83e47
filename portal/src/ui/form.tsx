import { type FormEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CopyButton } from './copy.js';
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
  const refusal = useRef<HTMLDivElement>(null);
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  const unsaid = useUnsaid(problem, form, refusal);
  useEffect(() => {
    if (!problem) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.focus();
    (field?.closest('.field') ?? refusal.current)?.scrollIntoView({ block: 'nearest' });
  }, [problem, unsaid]);
  const keepFocus = useFocusAfterSending(form, isBusy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepFocus();
    onSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {children}
      <div ref={refusal}>
        <Refusal problem={problem && { ...problem, message: problem.message ?? unsaid }} seconds={seconds} />
      </div>
      {buttons(isBusy || seconds > 0)}
    </form>
  );
}

/**
 * A button that is switched off loses the focus: once the form was sent, it goes back to what sent it, or to the first field where that
 * is off still.
 * @returns to be called when it is sent
 */
function useFocusAfterSending(form: RefObject<HTMLElement | null>, isBusy: boolean): () => void {
  const sender = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isBusy || sender.current === null) return;
    const isLost = document.activeElement === document.body;
    if (isLost) sender.current.focus();
    if (isLost && document.activeElement === document.body) {
      form.current?.querySelector<HTMLElement>('input:enabled, textarea:enabled, select:enabled')?.focus();
    }
    sender.current = null;
  }, [form, isBusy]);
  return () => {
    if (document.activeElement instanceof HTMLElement) sender.current = document.activeElement;
  };
}

/** What is wrong at fields that the form does not have; null where each fault stands at its field. */
function useUnsaid(
  problem: Problem | null,
  form: RefObject<HTMLElement | null>,
  refusal: RefObject<HTMLElement | null>,
): string | null {
  const [unsaid, setUnsaid] = useState<string | null>(null);
  useLayoutEffect(() => {
    const said = (form.current?.textContent ?? '').replace(refusal.current?.textContent ?? '', '');
    const missing = Object.entries(problem?.fields ?? {}).filter(([, message]) => !said.includes(message));
    setUnsaid(missing.length === 0 ? null : missing.map(([path, message]) => `${path}: ${message}`).join(' '));
  }, [problem, form, refusal]);
  return unsaid;
}

interface RefusalProps {
  problem: Problem | null;
  /** In how many seconds it is worth trying again. */
  seconds?: number;
  /** What can be done about it. */
  children?: ReactNode;
}

/** What was refused, in words; where something went wrong that whoever runs the instance can look up, by what they find it. */
export function Refusal({ problem, seconds = 0, children }: RefusalProps) {
  if (!problem?.message) return null;
  return (
    <div className="notice" role="alert">
      <p>{problem.message}</p>
      {seconds > 0 && <p>You can try again in {seconds} s.</p>}
      {problem.requestId !== null && (
        <p className="small">
          Request <code>{problem.requestId}</code> <CopyButton text={problem.requestId} what="request id" />
        </p>
      )}
      {children}
    </div>
  );
}
