import { Link, useParams } from '@tanstack/react-router';
import { InteractionDocument, TimelineChangedDocument } from '../../../gql/applications/interactions/interactions.js';
import type { InteractionPageFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { useRenewal } from '../../../renewal.js';
import { Copyable } from '../../../ui/copy.js';
import { NotFound, Unshown } from '../../../ui/endings.js';
import { Skeleton } from '../../../ui/listing.js';
import { once } from '../../../ui/once.js';
import { useTitle } from '../../../ui/page.js';
import { Ago } from '../../../ui/times.js';
import { holds } from '../../servers/permissions.js';
import { useApplication } from '../application.js';
import { Exchange } from '../probe-report.js';
import { Place } from './interaction-list.js';
import { isFault, legible, personText, STATES, stepText, typeText } from './interaction-words.js';
import './interactions.css';

export function InteractionTimeline() {
  const { interactionId: id } = useParams({ from: '/frame/applications/$applicationId/interactions/$interactionId' });
  const { id: applicationId } = useApplication();
  const { data, error, again } = useQuery({ query: InteractionDocument, variables: { id } });
  useLive(TimelineChangedDocument, { id });
  useRenewal(again);
  if (!data) return error ? <Unshown error={error} isPart /> : <Skeleton />;
  if (!data.interaction) return <NotFound isPart />;
  return (
    <>
      <p>
        <Link to="/applications/$applicationId/interactions" params={{ applicationId }}>
          All interactions
        </Link>
      </p>
      <Facts interaction={data.interaction} />
      <Timeline trace={data.interaction.trace} />
    </>
  );
}

function Facts({ interaction }: { interaction: InteractionPageFragment }) {
  const { id, name, type, state, failure, fellBack, createdAt } = interaction;
  const application = useApplication();
  useTitle(name, 'Interactions', application.name);
  const { text, tone } = STATES[state];
  return (
    <section className="card" aria-labelledby="interaction">
      <h2 id="interaction">
        <bdi>{name}</bdi> <span className={`badge ${tone}`}>{text}</span>
        {fellBack && <span className="badge warn">gateway fallback</span>}
      </h2>
      <p>
        {typeText(type)} · <bdi>{personText(interaction)}</bdi> · <Place row={interaction} /> · <Ago at={createdAt} />
      </p>
      {failure !== null && <p className="notice">{failure}</p>}
      <WhyRunnable interaction={interaction} />
      <Copyable label="Interaction ID" text={id} />
    </section>
  );
}

function WhyRunnable({ interaction: { commandId, channel, user } }: { interaction: InteractionPageFragment }) {
  const { id: applicationId } = useApplication();
  const guild = channel?.guild;
  if (!guild || commandId === null || !holds(guild.viewerPermissions, 'ManageGuild')) return null;
  return (
    <p>
      <Link
        to="/servers/$guildId/integrations/$applicationId"
        params={{ guildId: guild.id, applicationId }}
        search={{ command: commandId, channel: channel.id, person: user.id }}
      >
        Why could this user run this command?
      </Link>
    </p>
  );
}

function Timeline({ trace }: Pick<InteractionPageFragment, 'trace'>) {
  return (
    <section className="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {trace.length === 0 && <p className="hint">No steps yet.</p>}
      <Steps trace={trace} />
    </section>
  );
}

export function Steps({ trace }: Pick<InteractionPageFragment, 'trace'>) {
  const begin = trace[0]?.at;
  return (
    <ol className="timeline">
      {trace.map((step, index) => (
        <Step key={index} step={step} begin={index === 0 ? undefined : begin} />
      ))}
    </ol>
  );
}

const clock = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));

interface StepProps {
  step: InteractionPageFragment['trace'][number];
  /** Time of the first step; undefined for itself. */
  begin: string | undefined;
}

function Step({ step, begin }: StepProps) {
  const { at, kind, status, durationMs, reason, request, response } = step;
  const facts = [
    status !== null && `status ${status}`,
    durationMs !== null && `took ${durationMs} ms`,
    begin !== undefined && `+${Math.max(0, Date.parse(at) - Date.parse(begin))} ms`,
  ].filter(Boolean);
  return (
    <li data-fault={isFault(step)}>
      <p>
        <b>{stepText(kind)}</b>{' '}
        <span className="soft small">
          {facts.length > 0 && `${facts.join(' · ')} · `}
          <time dateTime={at} title={at}>
            {clock().format(new Date(at))}
          </time>
        </span>
      </p>
      {reason !== null && <p className="reason">{reason}</p>}
      {(request !== null || response !== null) && (
        <details>
          <summary>Request and response</summary>
          <Exchange title="Request" text={legible(request)} />
          <Exchange title="Response" text={legible(response)} />
        </details>
      )}
    </li>
  );
}
