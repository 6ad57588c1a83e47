import { useRef, useState } from 'react';

/** Compared by their JSON. */
export type Values = Record<string, unknown>;

/** A field that another user changed during editing. */
export interface Conflict<Live extends Values> {
  field: keyof Live & string;
  theirs: unknown;
  keep(): void;
  take(): void;
}

export interface Draft<Live extends Values> {
  /** Live values, overlaid with the edits. */
  value: Live;
  set<Field extends keyof Live>(field: Field, value: Live[Field]): void;
  /** Edits that differ from the live values. Only these are sent. */
  changes: Partial<Live>;
  isChanged: boolean;
  conflicts: Conflict<Live>[];
  discard(): void;
  /** Drops the saved edits, except fields edited again since. */
  saved(sent: Partial<Live>): void;
}

interface Typed<Live extends Values> {
  values: Partial<Live>;
  /** Live values when the fields were first edited. */
  bases: Partial<Live>;
}

/** Keeps edits apart from live data. Remote changes show at once, or as conflicts in edited fields. */
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

/** Drops sent edits even if the live value differs: the server may trim a text or replace a file with its URL. */
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

/** Compares by JSON. A file equals only itself. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (one instanceof Blob || other instanceof Blob) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
