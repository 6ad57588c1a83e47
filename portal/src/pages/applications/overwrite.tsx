import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OverwriteCommandsDocument } from '../../gql/applications/commands.js';
import type { OverwriteCommandsMutation } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { TextArea } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { useTitle } from '../../ui/page.js';
import { LeaveQuestion } from '../../ui/save.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from './application.js';
import { bodyOf, said } from './command-body.js';
import { parseList } from './command-list-json.js';
import { searchOf, useCommands, useServer } from './command-scope.js';
import { reasonAgainst } from './may.js';
import { CommandCard } from './new-command.js';
import './commands.css';

type Plan = OverwriteCommandsMutation['overwriteCommands']['plan'];

/** Makes the commands of a scope those of a list, after showing what that changes. */
export function Overwrite() {
  const application = useApplication();
  useTitle('Overwrite commands', application.name);
  const [text, setText] = useState('');
  const [plan, setPlan] = useState<Plan | null>(null);
  const edit = (next: string) => {
    setText(next);
    setPlan(null);
  };
  const plans = usePlans(text, setPlan);
  const reason = reasonAgainst(application, 'MANAGE_COMMANDS');
  return (
    <CommandCard title="Overwrite commands">
      <p>
        The list takes the place of all that is registered here. A command of the same type and name keeps its id; what
        is not in the list is deleted. You see the plan before anything is done.
      </p>
      {reason !== undefined && <p className="hint">{reason}</p>}
      <Form
        problem={plans.problem}
        isBusy={plans.isBusy}
        onSubmit={plans.show}
        buttons={(isOff) => (
          <div className="actions">
            <StartButton onStart={edit} />
            <button type="submit" className="plain" disabled={isOff || reason !== undefined || text.trim() === ''}>
              Show the plan
            </button>
          </div>
        )}
      >
        <TextArea
          label="Commands as JSON"
          hint="A list of commands in brackets, as programs send it."
          className="json"
          rows={12}
          spellCheck={false}
          value={text}
          fault={plans.fault}
          onChange={({ target }) => edit(target.value)}
        />
      </Form>
      {plan && <PlanView plan={plan} isBusy={plans.isBusy} onApply={plans.apply} />}
      <LeaveQuestion isChanged={text.trim() !== ''} />
    </CommandCard>
  );
}

/** Asks what a list would change, and makes it so. */
function usePlans(text: string, setPlan: (plan: Plan) => void) {
  const { id: applicationId } = useApplication();
  const guildId = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(OverwriteCommandsDocument, { isQuiet: true });
  const [unread, setUnread] = useState<{ text: string; fault: string } | null>(null);
  const send = async (dryRun: boolean) => {
    const read = parseList(text);
    setUnread('fault' in read ? { text, fault: read.fault } : null);
    if ('fault' in read) return undefined;
    return run({ input: { applicationId, guildId, commands: read.commands, dryRun } });
  };
  const show = async () => {
    const answer = await send(true);
    if (answer) setPlan(answer.overwriteCommands.plan);
  };
  const apply = async () => {
    if (!(await send(false))) return;
    say('Applied');
    const to = '/applications/$applicationId/commands';
    void navigate({ to, params: { applicationId }, search: searchOf(guildId), ignoreBlocker: true });
  };
  return {
    show: () => void show(),
    apply: () => void apply(),
    isBusy,
    problem,
    fault: unread?.text === text ? unread.fault : faultsText(problem?.fields),
  };
}

/** What was refused, each with its path in the list. */
function faultsText(fields: Record<string, string> = {}): string | undefined {
  const faults = Object.entries(fields).map(([path, fault]) => `${path.replace(/^commands\.?/, '')}: ${fault}`);
  return faults.length === 0 ? undefined : faults.join('\n');
}

/** Begins with what is registered. */
function StartButton({ onStart }: { onStart: (text: string) => void }) {
  const { commands } = useCommands(useServer());
  const start = () =>
    onStart(
      JSON.stringify(
        commands?.map((command) => said(bodyOf(command))),
        null,
        2,
      ),
    );
  return (
    <button type="button" className="plain" disabled={!commands || commands.length === 0} onClick={start}>
      Begin with the present ones
    </button>
  );
}

const CHANGES: Record<Plan[number]['change'], { text: string; tone: string }> = {
  CREATED: { text: 'created', tone: 'good' },
  CHANGED: { text: 'changed', tone: 'warn' },
  DELETED: { text: 'deleted', tone: 'bad' },
  UNCHANGED: { text: 'as it is', tone: '' },
};

interface PlanViewProps {
  plan: Plan;
  isBusy: boolean;
  onApply: () => void;
}

function PlanView({ plan, isBusy, onApply }: PlanViewProps) {
  const isNothing = plan.every(({ change }) => change === 'UNCHANGED');
  const lost = plan.reduce((sum, { grantsLost }) => sum + grantsLost, 0);
  return (
    <section className="plan" aria-label="Plan">
      <h3>Plan</h3>
      <p role="status">{summaryOf(plan)}</p>
      <ul>
        {plan.map(({ change, type, name, fields, grantsLost }) => (
          <li key={`${change} ${type} ${name}`}>
            <span className={`badge ${CHANGES[change].tone}`}>{CHANGES[change].text}</span>{' '}
            <bdi>{type === 'CHAT_INPUT' ? `/${name}` : name}</bdi>
            {fields.length > 0 && <span className="soft small"> {fields.join(', ')}</span>}
            {grantsLost > 0 && <span className="badge bad">{grantsLost} permissions of servers go</span>}
          </li>
        ))}
      </ul>
      {lost > 0 && <p className="notice">In all {lost} permissions that servers granted go. They do not come back.</p>}
      <button
        type="button"
        className={plan.some(({ change }) => change === 'DELETED') ? 'bad' : ''}
        disabled={isBusy || isNothing}
        onClick={onApply}
      >
        Apply
      </button>
    </section>
  );
}

function summaryOf(plan: Plan): string {
  const counts = Object.entries(CHANGES).map(
    ([change, { text }]) => `${plan.filter((entry) => entry.change === change).length} ${text}`,
  );
  return `${counts.join(', ')}.`;
}
