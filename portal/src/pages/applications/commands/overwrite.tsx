import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OverwriteCommandsDocument } from '../../../gql/applications/commands/commands.js';
import type { CommandRowFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { TextArea } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { useTitle } from '../../../ui/page.js';
import { Question } from '../../../ui/question.js';
import { say } from '../../../ui/toasts.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { bodyOf, said } from './command-body.js';
import { parseList } from './command-list-json.js';
import { type Planned, PlanView } from './command-plan.js';
import { searchOf, useCommands, useServer } from './command-scope.js';
import { CommandCard } from './new-command.js';
import './commands.css';

/** Shows a plan before replacing all commands of a scope. */
export function Overwrite() {
  const application = useApplication();
  useTitle('Overwrite commands', application.name);
  const [text, setText] = useState('');
  const [plan, setPlan] = useState<Planned | null>(null);
  const edit = (next: string) => {
    setText(next);
    setPlan(null);
  };
  const plans = usePlans(text, plan, setPlan);
  const reason = useReason('MANAGE_COMMANDS');
  return (
    <CommandCard title="Overwrite commands">
      <p>
        This list replaces all commands in this scope. A command with the same type and name keeps its ID. Commands that
        are not in the list are deleted. You can review the changes before you apply them.
      </p>
      {reason !== undefined && <p className="hint">{reason}</p>}
      <Form
        problem={plans.problem}
        isBusy={plans.isBusy}
        isChanged={text.trim() !== ''}
        onSubmit={plans.show}
        buttons={(isOff) => (
          <div className="actions">
            <StartButton text={text} onStart={edit} />
            <button type="submit" className="plain" disabled={isOff || reason !== undefined || text.trim() === ''}>
              Preview changes
            </button>
          </div>
        )}
      >
        <TextArea
          label="Commands as JSON"
          hint="A JSON array, in the format of PUT /applications/{id}/commands."
          className="json"
          rows={12}
          spellCheck={false}
          value={text}
          fault={plans.fault}
          onChange={({ target }) => edit(target.value)}
        />
      </Form>
      {plan && <PlanView plan={plan.plan} isBusy={plans.isBusy} onApply={plans.apply} />}
    </CommandCard>
  );
}

/** The server refuses an outdated plan. */
function usePlans(text: string, plan: Planned | null, setPlan: (plan: Planned | null) => void) {
  const { id: applicationId } = useApplication();
  const guildId = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(OverwriteCommandsDocument, { isQuiet: true });
  const [unread, setUnread] = useState<{ text: string; fault: string } | null>(null);
  const send = async (how: { dryRun: true } | { planDigest: string }) => {
    const read = parseList(text);
    setUnread('fault' in read ? { text, fault: read.fault } : null);
    if ('fault' in read) return undefined;
    return run({ input: { applicationId, guildId, commands: read.commands, ...how } });
  };
  const show = async () => {
    const answer = await send({ dryRun: true });
    if (answer) setPlan(answer.overwriteCommands);
  };
  const apply = async ({ digest }: Planned) => {
    // A refused plan cannot be applied again.
    if (!(await send({ planDigest: digest }))) return setPlan(null);
    say('Changes applied');
    const to = '/applications/$applicationId/commands';
    void navigate({ to, params: { applicationId }, search: searchOf(guildId), ignoreBlocker: true });
  };
  return {
    show: () => void show(),
    apply: () => plan && void apply(plan),
    isBusy,
    problem,
    fault: unread?.text === text ? unread.fault : faultsText(problem?.fields),
  };
}

function faultsText(fields: Record<string, string> = {}): string | undefined {
  const faults = Object.entries(fields).map(([path, fault]) => `${path.replace(/^commands\.?/, '')}: ${fault}`);
  return faults.length === 0 ? undefined : faults.join('\n');
}

/** Asks before replacing typed text with the registered commands. */
function StartButton({ text, onStart }: { text: string; onStart: (text: string) => void }) {
  const { commands } = useCommands(useServer());
  const [isAsked, ask] = useState(false);
  const present = commands && JSON.stringify(commands.map(inList), null, 2);
  const start = () => {
    ask(false);
    if (present !== undefined) onStart(present);
  };
  const isTyped = text.trim() !== '' && text !== present;
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={!commands || commands.length === 0}
        onClick={() => (isTyped ? ask(true) : start())}
      >
        Load current commands
      </button>
      {isAsked && (
        <Question
          title="Replace your JSON?"
          safe="Keep my JSON"
          onSafe={() => ask(false)}
          action={
            <button type="button" className="bad" onClick={start}>
              Replace JSON
            </button>
          }
        >
          <p>Your JSON will be replaced with the registered commands. This can't be undone.</p>
        </Question>
      )}
    </>
  );
}

function inList(command: CommandRowFragment) {
  return said(bodyOf(command));
}
