import {
  type FormEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useIsLost } from '../connection.js';
import { useUnsaved } from '../unsaved.js';
import { CopyButton } from './copy.js';
import { TOO_LONG } from './field.js';
import { type Problem, sentenceOf, waitText } from './problems.js';
import { useCountdown } from './times.js';

interface FormProps {
  children: ReactNode;
  /** What sends it: its buttons. They are off while it is being sent, and while it is too early to try again. */
  buttons: (isOff: boolean) => ReactNode;
  /** Sends it. Not asked for while its buttons are off, nor while a text is longer than its field holds. */
  onSubmit: () => void;
  /** What a button of type `reset` does. */
  onReset?: () => void;
  problem: Problem | null;
  isBusy: boolean;
  /** Whether something is typed in it that nobody is to lose unasked. */
  isChanged?: boolean;
  /** Whether it says above its buttons that there is no connection; as long as something is typed, unless stated otherwise. */
  saysOffline?: boolean;
  ref?: RefObject<HTMLFormElement | null>;
}

/** A form whose refusal stands above its buttons or at its fields; the first field with a fault takes the focus. */
export function Form(props: FormProps) {
  const {
    children,
    buttons,
    onSubmit,
    onReset,
    problem,
    isBusy,
    isChanged = false,
    saysOffline = isChanged,
    ref,
  } = props;
  useUnsaved(isChanged);
  const own = useRef<HTMLFormElement>(null);
  const form = ref ?? own;
  const refusal = useRef<HTMLDivElement>(null);
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  const isOff = isBusy || seconds > 0;
  const unsaid = useUnsaid(problem, form, refusal);
  useEffect(() => {
    if (!problem) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.focus();
    (field?.closest('.field') ?? refusal.current)?.scrollIntoView({ block: 'nearest' });
  }, [problem, unsaid, form]);
  const lastField = useLastField(form);
  const keepFocus = useFocusAfterSending(lastField, isBusy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tooLong = form.current?.querySelector<HTMLElement>(TOO_LONG);
    if (tooLong) leadTo(tooLong);
    if (isOff || tooLong) return;
    keepFocus();
    onSubmit();
  };
  const reset = (event: FormEvent) => {
    event.preventDefault();
    // The button goes with what it takes back.
    lastField()?.focus();
    onReset?.();
  };
  return (
    <form ref={form} onSubmit={submit} onReset={reset} noValidate>
      {children}
      <div ref={refusal}>
        <Refusal problem={problem && { ...problem, message: problem.message ?? unsaid }} seconds={seconds} />
      </div>
      {saysOffline && <OfflineNote />}
      {buttons(isOff)}
    </form>
  );
}

/** Says next to what is typed and not saved that there is no connection. */
export function OfflineNote() {
  if (!useIsLost()) return null;
  return (
    <p className="offline small" role="status">
      No connection to the server. What you typed is not saved; it stays on this page.
    </p>
  );
}

/** Gives the focus to a field, also in a part that is folded up. */
function leadTo(field: HTMLElement): void {
  for (let part = field.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true;
  field.focus();
}

/**
 * A button that is switched off or goes loses the focus: once the form was sent, it goes back to what sent it, or to the field that had
 * it last.
 * @returns to be called when it is sent
 */
function useFocusAfterSending(lastField: LastField, isBusy: boolean): () => void {
  const sender = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isBusy || sender.current === null) return;
    const isLost = document.activeElement === document.body;
    if (isLost) sender.current.focus();
    if (isLost && document.activeElement === document.body) lastField()?.focus();
    sender.current = null;
  }, [isBusy, lastField]);
  return () => {
    if (document.activeElement instanceof HTMLElement) sender.current = document.activeElement;
  };
}

const FIELD = 'input:enabled, textarea:enabled, select:enabled';

type LastField = () => HTMLElement | null | undefined;

/** @returns the field of the form that had the focus last, or else its first one */
function useLastField(form: RefObject<HTMLElement | null>): LastField {
  const last = useRef<HTMLElement>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.matches(FIELD)) last.current = target;
    };
    const element = form.current;
    element?.addEventListener('focusin', note);
    return () => element?.removeEventListener('focusin', note);
  }, [form]);
  return useCallback(
    () => (last.current?.isConnected ? last.current : form.current?.querySelector<HTMLElement>(FIELD)),
    [form],
  );
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
      {seconds > 0 && <p>{waitText(seconds)}</p>}
      <RequestId problem={problem} />
      {children}
    </div>
  );
}

/** By what whoever runs the instance finds what went wrong; nothing where there is nothing to find. */
export function RequestId({ problem: { requestId } }: { problem: Problem }) {
  if (requestId === null) return null;
  return (
    <p className="small">
      Request <code>{requestId}</code> <CopyButton text={requestId} what="request id" />
    </p>
  );
}

/** As {@link Refusal}, for where there are no fields at which a part of it could stand. */
export function WholeRefusal({ problem, children }: Omit<RefusalProps, 'seconds'>) {
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  return (
    <Refusal problem={problem && { ...problem, message: sentenceOf(problem) }} seconds={seconds}>
      {children}
    </Refusal>
  );
}
