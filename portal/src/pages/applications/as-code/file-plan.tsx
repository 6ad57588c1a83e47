import { type ReactNode, useState } from 'react';
import type { FilePlanFragment } from '../../../gql/types.js';
import { Name } from '../../../ui/page.js';
import { Question } from '../../../ui/question.js';
import { ChangeBadge, CommandEntry, FieldChange, summaryOf } from '../commands/command-plan.js';

interface FilePlanProps {
  plan: FilePlanFragment;
  isBusy: boolean;
  onApply: () => void;
}

export function FilePlan({ plan, isBusy, onApply }: FilePlanProps) {
  const { settings, commands, webhooks } = plan;
  const [isAsked, ask] = useState(false);
  const lost = commands.reduce((sum, { grantsLost }) => sum + grantsLost, 0);
  const isNothing = settings.length === 0 && [...commands, ...webhooks].every(({ change }) => change === 'UNCHANGED');
  const isDeleting = [...commands, ...webhooks].some(({ change }) => change === 'DELETED');
  const lostText = lost > 0 && `Command permissions removed in total: ${lost}. This can't be undone.`;
  const apply = () => {
    ask(false);
    onApply();
  };
  return (
    <section className="plan" aria-label="Planned changes">
      <h3>Planned changes</h3>
      <p role="status">{isNothing ? 'The application already matches the file.' : 'Review the changes below.'}</p>
      <Part title="Settings" summary={settingsText(settings.length)}>
        {settings.map(({ field, ...values }) => (
          <li key={field}>
            <ChangeBadge change="CHANGED" /> <code>{field}</code>
            <FieldChange name="Value" {...values} />
          </li>
        ))}
      </Part>
      <Part title="Commands" summary={summaryOf(commands)}>
        {commands.map((entry) => (
          <CommandEntry key={`${entry.change} ${entry.type} ${entry.name}`} entry={entry} />
        ))}
      </Part>
      <Part title="Webhooks" summary={summaryOf(webhooks)}>
        {webhooks.map((entry, index) => (
          <WebhookEntry key={entry.webhookId ?? index} entry={entry} />
        ))}
      </Part>
      {lostText && <p className="notice">{lostText}</p>}
      <button
        type="button"
        className={isDeleting ? 'bad' : ''}
        disabled={isBusy || isNothing}
        onClick={() => ask(true)}
      >
        Apply changes
      </button>
      {isAsked && (
        <Question
          title="Apply these changes?"
          safe="Cancel"
          onSafe={() => ask(false)}
          action={
            <button type="button" className={isDeleting ? 'bad' : ''} onClick={apply}>
              Apply changes
            </button>
          }
        >
          {settings.length > 0 && <p>{settingsText(settings.length)}</p>}
          {commands.length > 0 && <p>Commands: {summaryOf(commands)}</p>}
          {webhooks.length > 0 && <p>Webhooks: {summaryOf(webhooks)}</p>}
          {webhooks.some(({ change }) => change === 'DELETED') && <p>The URLs of deleted webhooks stop working.</p>}
          {lostText && <p>{lostText}</p>}
        </Question>
      )}
    </section>
  );
}

function settingsText(count: number): string {
  return count === 1 ? '1 setting changes.' : `${count} settings change.`;
}

function Part({ title, summary, children }: { title: string; summary: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <p className="soft small">{summary}</p>
      <ul>{children}</ul>
    </>
  );
}

function WebhookEntry({ entry }: { entry: FilePlanFragment['webhooks'][number] }) {
  const { change, name, channel, changes } = entry;
  return (
    <li>
      <ChangeBadge change={change} /> <Name>{name}</Name>{' '}
      <span className="soft small">{channel ? <bdi>#{channel.name}</bdi> : 'in a channel that you cannot see'}</span>
      {changes.map(({ field, ...values }) => (
        <FieldChange key={field} name={field} {...values} />
      ))}
    </li>
  );
}
