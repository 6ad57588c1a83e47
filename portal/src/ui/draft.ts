import { useRef, useState } from 'react';

/** What a form edits: values that can be compared by what they say. */
export type Values = Record<string, unknown>;

/** A field that somebody else changed while it was being edited. */
export interface Conflict<Live extends Values> {
  field: keyof Live & string;
  theirs: unknown;
  /** Goes on with what was typed. */
  keep(): void;
  /** Drops it for what the other one set. */
  take(): void;
}

/** A form's values while they are edited. */
export interface Draft<Live extends Values> {
  /** As the form shows them: what was typed, elsewhere what is live. */
  value: Live;
  set<Field extends keyof Live>(field: Field, value: Live[Field]): void;
  /** What differs from what is live: all that a save sends. */
  changes: Partial<Live>;
  isChanged: boolean;
  conflicts: Conflict<Live>[];
  discard(): void;
  /** Forgets what was saved, unless something else was typed meanwhile. */
  saved(sent: Partial<Live>): void;
}

interface Typed<Live extends Values> {
  values: Partial<Live>;
  /** What was live when a field was touched first. */
  bases: Partial<Live>;
}

/**
 * Keeps what somebody types apart from what is live, so that changes of others show at once where nothing was typed, and are told
 * where something was.
 */
export function useDraft<Live extends Values>(live: Live): Draft<Live> {
  const [typed, setTyped] = useState<Typed<Live>>({ values: {}, bases: {} });
  const now = useRef(live);
  now.current = live;
  const changes = changesIn(typed, live);
  const fields = Object.keys(changes) as (keyof Live & string)[];
  const disputed = fields.filter((field) => !isSame(typed.bases[field], live[field]));
  return {
    value: { ...live, ...changes },
    set: (field, value) => setTyped((before) => touched(before, now.current, field, value)),
    changes,
    isChanged: fields.length > 0,
    conflicts: disputed.map((field) => ({
      field,
      theirs: live[field],
      keep: () => setTyped(({ values, bases }) => ({ values, bases: { ...bases, [field]: now.current[field] } })),
      take: () => setTyped(({ values, bases }) => ({ values: without(values, field), bases: without(bases, field) })),
    })),
    discard: () => setTyped({ values: {}, bases: {} }),
    saved: (sent) => setTyped((before) => afterSave(before, sent)),
  };
}

/** A saved text may come back trimmed, and a saved file as an address: what was sent is no draft any more, whatever is live then. */
function afterSave<Live extends Values>(typed: Typed<Live>, sent: Partial<Live>): Typed<Live> {
  const isSaved = (field: string) => field in sent && isSame(typed.values[field], sent[field]);
  const rest = (values: Partial<Live>) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => !isSaved(field))) as Partial<Live>;
  return { values: rest(typed.values), bases: rest(typed.bases) };
}

function changesIn<Live extends Values>({ values }: Typed<Live>, live: Live): Partial<Live> {
  const changed = Object.entries(values).filter(([field, value]) => !isSame(value, live[field]));
  return Object.fromEntries(changed) as Partial<Live>;
}

function touched<Live extends Values, Field extends keyof Live>(
  { values, bases }: Typed<Live>,
  live: Live,
  field: Field,
  value: Live[Field],
): Typed<Live> {
  const isFirst = !(field in values) || isSame(values[field], live[field]);
  return { values: { ...values, [field]: value }, bases: isFirst ? { ...bases, [field]: live[field] } : bases };
}

function without<Live extends Values>(values: Partial<Live>, field: keyof Live): Partial<Live> {
  const { [field]: _, ...rest } = values;
  return rest as Partial<Live>;
}

/** Whether two values say the same; a file is the same as itself alone. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (one instanceof Blob || other instanceof Blob) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
