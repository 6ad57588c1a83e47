import type { CommandChange, CommandPlanFragment, OverwriteCommandsMutation } from '../../../gql/types.js';
import { Exchange } from '../probe-report.js';
import { FIELD_NAMES } from './command-body.js';
import { LosingServers } from './lost-grants.js';
import './commands.css';

/** Result of a dry run, with the digest that identifies the plan. */
export type Planned = OverwriteCommandsMutation['overwriteCommands'];

type Plan = Planned['plan'];

const CHANGES: Record<CommandChange, { text: string; tone: string }> = {
  CREATED: { text: 'created', tone: 'good' },
  CHANGED: { text: 'changed', tone: 'warn' },
  DELETED: { text: 'deleted', tone: 'bad' },
  UNCHANGED: { text: 'unchanged', tone: '' },
};

interface PlanViewProps {
  plan: Plan;
  isBusy: boolean;
  onApply: () => void;
}

export function PlanView({ plan, isBusy, onApply }: PlanViewProps) {
  const isNothing = plan.every(({ change }) => change === 'UNCHANGED');
  const lost = plan.reduce((sum, { grantsLost }) => sum + grantsLost, 0);
  return (
    <section className="plan" aria-label="Planned changes">
      <h3>Planned changes</h3>
      <p role="status">{summaryOf(plan)}</p>
      <ul>
        {plan.map((entry) => (
          <CommandEntry key={`${entry.change} ${entry.type} ${entry.name}`} entry={entry} />
        ))}
      </ul>
      {lost > 0 && <p className="notice">Command permissions removed in total: {lost}. This can't be undone.</p>}
      <button
        type="button"
        className={plan.some(({ change }) => change === 'DELETED') ? 'bad' : ''}
        disabled={isBusy || isNothing}
        onClick={onApply}
      >
        Apply changes
      </button>
    </section>
  );
}

/** Such as “1 created, 0 changed, 2 deleted, 4 unchanged.” */
export function summaryOf(plan: readonly { change: CommandChange }[]): string {
  const counts = Object.entries(CHANGES).map(
    ([change, { text }]) => `${plan.filter((entry) => entry.change === change).length} ${text}`,
  );
  return `${counts.join(', ')}.`;
}

export function ChangeBadge({ change }: { change: CommandChange }) {
  return <span className={`badge ${CHANGES[change].tone}`}>{CHANGES[change].text}</span>;
}

export function CommandEntry({ entry }: { entry: CommandPlanFragment }) {
  const { change, type, name, changes, grantsLost } = entry;
  return (
    <li>
      <ChangeBadge change={change} /> <bdi>{type === 'CHAT_INPUT' ? `/${name}` : name}</bdi>
      {grantsLost > 0 && (
        <>
          <span className="badge bad">command permissions removed: {grantsLost}</span>{' '}
          <span className="soft small">
            in <LosingServers {...entry} />
          </span>
        </>
      )}
      {changes.map(({ field, ...values }) => (
        <FieldChange key={field} name={nameOf(field)} {...values} />
      ))}
    </li>
  );
}

function nameOf(field: string): string {
  return Object.entries(FIELD_NAMES).find(([one]) => one === field)?.[1] ?? field;
}

export function FieldChange({ name, before, after }: { name: string; before: unknown; after: unknown }) {
  if (isLong(before) || isLong(after))
    return (
      <details className="plan-change small">
        <summary>{name}</summary>
        <Exchange title="Before" text={textOf(before)} />
        <Exchange title="After" text={textOf(after)} />
      </details>
    );
  return (
    <p className="plan-change small">
      {name}: <del dir="auto">{wordsFor(before)}</del> → <ins dir="auto">{wordsFor(after)}</ins>
    </p>
  );
}

function isLong(value: unknown): boolean {
  return typeof value === 'object' && value !== null && JSON.stringify(value).length > 40;
}

function textOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value, null, 2);
}

function wordsFor(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value === '' ? 'none' : `“${value}”`;
  return value === null ? 'none' : JSON.stringify(value);
}
