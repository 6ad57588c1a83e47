import { type ReactNode, useState } from 'react';
import type { AnyVariables, OperationResult, TypedDocumentNode } from 'urql';
import { useClient } from 'urql';
import { TextField } from './field.js';
import { WholeRefusal } from './form.js';
import { type Problem, problemIn, waitText, wholeTextOf } from './problems.js';
import { Question } from './question.js';
import { useCountdown } from './times.js';
import { complain } from './toasts.js';

/** Something that a button does: a mutation, whose answer renews what pages show. */
export interface Action<Data, Variables extends AnyVariables> {
  /** @returns the answer; undefined where it was refused, which has been said then */
  run(variables: Variables): Promise<Data | undefined>;
  /** Does it, and leaves it to the caller to show what was refused. */
  ask(variables: Variables): Promise<OperationResult<Data, Variables>>;
  isBusy: boolean;
  problem: Problem | null;
  /** In how many seconds it is worth trying again: until then `run` does nothing. */
  seconds: number;
  /** Whether its button is off: it is being done, or it is too early to do it again. */
  isOff: boolean;
}

/**
 * Does something by a mutation. What is refused is said in passing, unless the page shows the problem itself; so is that it is too
 * early to do it again.
 * @param options.isQuiet whether the page shows it
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
  /** What is asked, such as “Delete Otter bot?”. */
  title: string;
  /** What happens then, in the words of the platform. */
  children: ReactNode;
  /** What the button that does it says. */
  doIt: string;
  /** Does it; the dialog stays open where it was refused. */
  onDo: (typed: string) => void;
  onClose: () => void;
  isBusy: boolean;
  problem: Problem | null;
  /** What has to be typed first, and what the field for it is called. */
  typed?: { name: string; label: string };
}

/** Asks before something that cannot be undone, where it matters most by having its name typed. */
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
