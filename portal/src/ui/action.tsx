import { type ReactNode, useState } from 'react';
import type { AnyVariables, OperationResult, TypedDocumentNode } from 'urql';
import { useClient } from 'urql';
import { TextField } from './field.js';
import { WholeRefusal } from './form.js';
import { type Problem, problemIn, waitText, wholeTextOf } from './problems.js';
import { Question } from './question.js';
import { useCountdown } from './times.js';
import { complain } from './toasts.js';

export interface Action<Data, Variables extends AnyVariables> {
  /** @returns undefined if refused, which has been reported by then */
  run(variables: Variables): Promise<Data | undefined>;
  /** Leaves reporting a refusal to the caller. */
  ask(variables: Variables): Promise<OperationResult<Data, Variables>>;
  isBusy: boolean;
  problem: Problem | null;
  /** Seconds until a retry is allowed. `run` does nothing before. */
  seconds: number;
  /** Also true until a retry is allowed. */
  isOff: boolean;
}

/**
 * Reports refusals, and calls before a retry is allowed, in a toast.
 * @param options.isQuiet no toast: the page shows the problem itself
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
  doIt: string;
  /** The dialog stays open if it is refused. */
  onDo: (typed: string) => void;
  onClose: () => void;
  isBusy: boolean;
  problem: Problem | null;
  /** Name that the user must type, and its field's label. */
  typed?: { name: string; label: string };
}

/** Confirms an action that cannot be undone. */
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
              Enter <bdi>{typed.name}</bdi> to confirm.
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
