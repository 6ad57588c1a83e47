import { type ReactNode, useState } from 'react';
import type { AnyVariables, OperationResult, TypedDocumentNode } from 'urql';
import { useClient } from 'urql';
import { TextField } from './field.js';
import { WholeRefusal } from './form.js';
import { type Problem, problemIn, waitText, wholeTextOf } from './problems.js';
import { Question } from './question.js';
import { useCountdown } from './times.js';
import { complain } from './toasts.js';

/** A mutation triggered by a button. Its response updates the cache. */
export interface Action<Data, Variables extends AnyVariables> {
  /** @returns undefined if the server refused it; the hook has reported the problem then */
  run(variables: Variables): Promise<Data | undefined>;
  /** Runs the mutation without reporting a refusal; the caller reports it. */
  ask(variables: Variables): Promise<OperationResult<Data, Variables>>;
  isBusy: boolean;
  problem: Problem | null;
  /** Seconds until a retry is allowed. `run` does nothing until then. */
  seconds: number;
  /** True during the call and until a retry is allowed. */
  isOff: boolean;
}

/**
 * Runs a mutation. Reports refusals, and clicks before a retry is allowed, in a toast unless `isQuiet` is set.
 * @param options.isQuiet set if the page shows the problem itself
 */
export function useAction<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  { isQuiet = false }: { isQuiet?: boolean } = {},
): Action<Data, Variables> {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  const ask = async (variables: Variables): Promise<OperationResult<Data, Variables>> => {
    setBusy(true);
    const answer = await client.mutation(document, variables).toPromise();
    setBusy(false);
    return answer;
  };
  const run = async (variables: Variables) => {
    if (seconds > 0) {
      if (!isQuiet) complain(waitText(seconds));
      return undefined;
    }
    const { data, error } = await ask(variables);
    const refused = error ? problemIn(error) : null;
    setProblem(refused);
    if (!refused) return data;
    if (!isQuiet) complain(wholeTextOf(refused));
    return undefined;
  };
  return { run, ask, isBusy, problem, seconds, isOff: isBusy || seconds > 0 };
}

interface DangerProps {
  /** For example “Delete Otter bot?”. */
  title: string;
  /** Describes the consequences. */
  children: ReactNode;
  /** Label of the confirm button. */
  doIt: string;
  /** Runs the action. The dialog stays open if it is refused. */
  onDo: (typed: string) => void;
  onClose: () => void;
  isBusy: boolean;
  problem: Problem | null;
  /** Name the user has to type to confirm, and the label of its field. */
  typed?: { name: string; label: string };
}

/** Confirmation of an action that cannot be undone. */
export function Danger({ title, children, doIt, onDo, onClose, isBusy, problem, typed }: DangerProps) {
  const [text, setText] = useState('');
  const seconds = useCountdown(problem?.retryAfter ?? 0, problem);
  const isTyped = !typed || text === typed.name;
  return (
    <Question
      title={title}
      safe="Cancel"
      onSafe={onClose}
      action={
        <button type="button" className="bad" disabled={!isTyped || isBusy || seconds > 0} onClick={() => onDo(text)}>
          {doIt}
        </button>
      }
    >
      {children}
      {typed && (
        <TextField
          label={typed.label}
          hint={
            <>
              It is called <bdi>{typed.name}</bdi>.
            </>
          }
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <WholeRefusal problem={problem} />
    </Question>
  );
}
