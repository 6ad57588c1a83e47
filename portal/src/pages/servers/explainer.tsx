import { useEffect, useRef, useState } from 'react';
import { WhyRunnableDocument } from '../../gql/servers/integration.js';
import type { GrantedCommandFragment, WhyRunnableQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Select } from '../../ui/field.js';
import { Refused } from '../../ui/listing.js';
import { isMessageChannel } from './channels-of.js';
import { nameOf } from './command-name.js';
import { PersonField } from './person-field.js';
import { useLack, useServer } from './server.js';

interface ExplainerProps {
  commands: readonly GrantedCommandFragment[];
  /** What the lists of grants say, after each change of which is asked anew. */
  asOf?: string;
}

/** Tells whether somebody may run a command in a channel, and why. */
export function Explainer({ commands, asOf }: ExplainerProps) {
  const { channels } = useServer();
  const open = channels.filter(isMessageChannel);
  const lack = useLack('ManageGuild');
  const [question, setQuestion] = useState({ commandId: '', channelId: '', userId: '' });
  const {
    commandId = '',
    channelId = '',
    userId,
  } = {
    ...question,
    commandId: question.commandId || commands[0]?.id,
    channelId: question.channelId || open[0]?.id,
  };
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
    <section className="card" aria-label="Why">
      <h2>Why can somebody run a command, or not?</h2>
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
            label="Person"
            hint="You, while nobody is chosen."
            onPick={(id) => setQuestion({ ...question, userId: id ?? '' })}
          />
        )}
      </div>
      {lack && <p className="soft small">About others: {lack}</p>}
      {error && <Refused error={error} again={again} />}
      {data && !error && !fetching && <Answer why={data.whyRunnable} />}
    </section>
  );
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
