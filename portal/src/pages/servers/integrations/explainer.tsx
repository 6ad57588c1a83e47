import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { NamedUserDocument, WhyRunnableDocument } from '../../../gql/servers/integrations/integration.js';
import type { GrantedCommandFragment, WhyRunnableQuery } from '../../../gql/types.js';
import { useQuery } from '../../../query.js';
import { Select } from '../../../ui/field.js';
import { Refused } from '../../../ui/listing.js';
import { isMessageChannel } from '../channels-of.js';
import { PersonField } from '../person-field.js';
import { useLack, useServer } from '../server.js';
import { nameOf } from './command-name.js';

interface ExplainerProps {
  commands: readonly GrantedCommandFragment[];
  /** State of the permission lists. A change refetches the result. */
  asOf?: string;
}

export function Explainer({ commands, asOf }: ExplainerProps) {
  const { channels } = useServer();
  const open = channels.filter(isMessageChannel);
  const lack = useLack('ManageGuild');
  const asked = useSearch({ from: '/frame/servers/$guildId/integrations/$applicationId' });
  const [question, setQuestion] = useState({
    commandId: asked.command ?? '',
    channelId: asked.channel ?? '',
    userId: asked.person ?? '',
  });
  const commandId = oneOf(commands, question.commandId);
  const channelId = oneOf(open, question.channelId);
  const userId = lack ? '' : question.userId;
  const name = useNameOf(lack ? undefined : asked.person);
  const { data, error, fetching, again } = useQuery({
    query: WhyRunnableDocument,
    variables: { commandId, channelId, userId: userId === '' ? null : userId },
    pause: commandId === '' || channelId === '',
    requestPolicy: 'network-only',
  });
  const answered = useRef(asOf);
  useEffect(() => {
    if (answered.current !== asOf) again();
    answered.current = asOf;
  }, [asOf, again]);
  return (
    <section className="card" aria-label="Check access" ref={useInView(asked.command !== undefined)}>
      <h2>Can this person run this command?</h2>
      <div className="question">
        <Select
          label="Command"
          value={commandId}
          onChange={({ target }) => setQuestion({ ...question, commandId: target.value })}
        >
          {commands.map((command) => (
            <option key={command.id} value={command.id}>
              {nameOf(command)}
            </option>
          ))}
        </Select>
        <Select
          label="Channel"
          value={channelId}
          onChange={({ target }) => setQuestion({ ...question, channelId: target.value })}
        >
          {open.map(({ id, name }) => (
            <option key={id} value={id}>
              #{name}
            </option>
          ))}
        </Select>
        {!lack && (
          <PersonField
            key={name}
            label="Person"
            picked={name}
            hint="Defaults to you."
            onPick={(id) => setQuestion({ ...question, userId: id ?? '' })}
          />
        )}
      </div>
      {lack && <p className="soft small">You can check only your own access. {lack}</p>}
      {error && <Refused error={error} again={again} />}
      {data && !error && !fetching && <Answer why={data.whyRunnable} />}
    </section>
  );
}

/** Falls back to the first one, or an empty string. */
function oneOf(all: readonly { id: string }[], id: string): string {
  return all.find((one) => one.id === id)?.id ?? all[0]?.id ?? '';
}

function useNameOf(id: string | undefined): string | undefined {
  const { data } = useQuery({ query: NamedUserDocument, variables: { id: id ?? '' }, pause: id === undefined });
  return data?.user?.username;
}

function useInView(isWanted: boolean) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) ref.current?.scrollIntoView();
  }, [isWanted]);
  return ref;
}

function Answer({ why: { allowed, steps } }: { why: WhyRunnableQuery['whyRunnable'] }) {
  return (
    <div role="status">
      <p>
        <span className={`badge ${allowed ? 'good' : 'bad'}`}>{allowed ? 'Yes' : 'No'}</span>
      </p>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}
