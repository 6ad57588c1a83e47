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
  /** `isOff` is true during the request and until a retry is allowed. */
  buttons: (isOff: boolean) => ReactNode;
  /** Not called while the buttons are off or a text is too long. */
  onSubmit: () => void;
  onReset?: () => void;
  problem: Problem | null;
  isBusy: boolean;
  /** Whether there is unsaved input. */
  isChanged?: boolean;
  /** Shows the offline note. Defaults to `isChanged`. */
  saysOffline?: boolean;
  ref?: RefObject<HTMLFormElement | null>;
}

/** Shows refusals above the buttons or at the fields. The first field with a fault takes the focus. */
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
    // The reset button disappears with the changes, so the focus moves first.
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

export function OfflineNote() {
  if (!useIsLost()) return null;
  return (
    <p className="offline small" role="status">
      No connection to the server. Your input is not saved yet, but it stays on this page.
    </p>
  );
}

/** Focuses a field and opens the `details` elements around it. */
function leadTo(field: HTMLElement): void {
  for (let part = field.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true;
  field.focus();
}

/**
 * Restores the focus that a disabled or removed button loses: to the sender, or else to the field focused last.
 * @returns a function to call on submit
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

/** @returns the field focused last, or else the first one */
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

/** Returns the faults of fields that the form does not show, or null. */
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
  /** Seconds until a retry is allowed. */
  seconds?: number;
  children?: ReactNode;
}

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

export function RequestId({ problem: { requestId } }: { problem: Problem }) {
  if (requestId === null) return null;
  return (
    <p className="small">
      Request ID <code>{requestId}</code> <CopyButton text={requestId} what="request ID" />
    </p>
  );
}

/** Like {@link Refusal}, but includes field errors, for places without fields. */
export function WholeRefusal({ problem, children }: Omit<RefusalProps, 'seconds'>) {
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  return (
    <Refusal problem={problem && { ...problem, message: sentenceOf(problem) }} seconds={seconds}>
      {children}
    </Refusal>
  );
}
