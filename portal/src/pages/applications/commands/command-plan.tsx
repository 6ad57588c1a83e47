import type { OverwriteCommandsMutation } from '../../../gql/types.js';
import { Exchange } from '../probe-report.js';
import { FIELD_NAMES } from './command-body.js';
import { LosingServers } from './lost-grants.js';

/** Result of a dry run, with the digest that identifies the plan. */
export type Planned = OverwriteCommandsMutation['overwriteCommands'];

type Plan = Planned['plan'];

const CHANGES: Record<Plan[number]['change'], { text: string; tone: string }> = {
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
          <Entry key={`${entry.change} ${entry.type} ${entry.name}`} entry={entry} />
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

function summaryOf(plan: Plan): string {
  const counts = Object.entries(CHANGES).map(
    ([change, { text }]) => `${plan.filter((entry) => entry.change === change).length} ${text}`,
  );
  return `${counts.join(', ')}.`;
}

function Entry({ entry }: { entry: Plan[number] }) {
  const { change, type, name, changes, grantsLost } = entry;
  return (
    <li>
      <span className={`badge ${CHANGES[change].tone}`}>{CHANGES[change].text}</span>{' '}
      <bdi>{type === 'CHAT_INPUT' ? `/${name}` : name}</bdi>
      {grantsLost > 0 && (
        <>
          <span className="badge bad">command permissions removed: {grantsLost}</span>{' '}
          <span className="soft small">
            in <LosingServers {...entry} />
          </span>
        </>
      )}
      {changes.map((one) => (
        <Change key={one.field} change={one} />
      ))}
    </li>
  );
}

function Change({ change: { field, before, after } }: { change: Plan[number]['changes'][number] }) {
  const name = Object.entries(FIELD_NAMES).find(([one]) => one === field)?.[1] ?? field;
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
