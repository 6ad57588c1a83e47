import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import type { Draft, Values } from './draft.js';
import { Form, OfflineNote } from './form.js';
import { type Problem, problemIn } from './problems.js';
import { say } from './toasts.js';

interface DraftFormProps<Live extends Values> {
  draft: Draft<Live>;
  /** Labels. */
  names: Record<keyof Live & string, string>;
  /** Resolves to undefined if the user canceled. */
  save(changes: Partial<Live>): Promise<{ error?: CombinedError | undefined } | undefined>;
  /** `faults` has error messages by path. */
  children: (faults: Record<string, string>) => ReactNode;
  /** Replace the server's error messages, by path. */
  words?: Record<string, string>;
  /** Why the form is read-only; undefined if it is not. */
  readOnly?: string | undefined;
}

/** Settings form with a bar of unsaved changes. */
export function DraftForm<Live extends Values>({
  draft,
  names,
  save,
  children,
  words,
  readOnly,
}: DraftFormProps<Live>) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    if (!draft.isChanged || isBusy) return;
    setBusy(true);
    const sent = draft.changes;
    const answer = await save(sent);
    setBusy(false);
    if (!answer) return;
    const { error } = answer;
    setProblem(error ? inWords(problemIn(error), words) : null);
    if (error) return;
    draft.saved(sent);
    say('Saved');
  };
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => form.current?.requestSubmit());
  const discard = () => {
    draft.discard();
    setProblem(null);
  };
  const changed = Object.keys(draft.changes).map((field) => names[field]);
  return (
    <Form
      ref={form}
      problem={problem}
      isBusy={isBusy}
      isChanged={draft.isChanged}
      saysOffline={false}
      onSubmit={submit}
      onReset={discard}
      buttons={(isOff) =>
        draft.isChanged && (
          <section className="save" aria-label="Unsaved changes">
            <p>
              Not saved: <b>{changed.join(', ') || 'your input'}</b>
            </p>
            <OfflineNote />
            <div className="actions">
              <button type="reset" className="plain">
                Discard
              </button>
              <button type="submit" disabled={isOff}>
                Save changes
              </button>
            </div>
          </section>
        )
      }
    >
      <fieldset disabled={readOnly !== undefined}>
        {readOnly !== undefined && <p className="hint">{readOnly}</p>}
        {children(problem?.fields ?? {})}
      </fieldset>
      <Conflicts draft={draft} names={names} />
    </Form>
  );
}

function inWords(problem: Problem, words: Record<string, string> = {}): Problem {
  const said = Object.entries(problem.fields).map(([path, message]) => [path, words[path] ?? message]);
  return { ...problem, fields: Object.fromEntries(said) };
}

export function Conflicts<Live extends Values>({ draft, names }: Pick<DraftFormProps<Live>, 'draft' | 'names'>) {
  return draft.conflicts.map(({ field, theirs, keep, take }) => (
    <div className="notice warn" role="alert" key={field}>
      <p>
        {names[field]} was changed to <bdi>{shown(theirs)}</bdi> while you were editing it.
      </p>
      <div className="actions">
        <button type="button" className="plain" onClick={keep}>
          Keep mine
        </button>
        <button type="button" className="plain" onClick={take}>
          Take theirs
        </button>
      </div>
    </div>
  ));
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'nothing' : `“${value}”`;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? 'nothing' : Array.isArray(value) ? value.join(', ') : 'something else';
}

function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
