import { BotSessionsChangedDocument, BotSessionsDocument } from '../../gql/applications/bot.js';
import { INTENTS } from '../../gql/intents.js';
import type { BotSessionsFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Awaited } from '../../ui/listing.js';
import { Ago } from '../../ui/times.js';
import { useApplication } from './application.js';

export type Session = BotSessionsFragment['gatewaySessions'][number];

/** `sessions` is live, and undefined while loading. */
export function useBotSessions() {
  const { id } = useApplication();
  const { data, error, again } = useQuery({ query: BotSessionsDocument, variables: { id } });
  useLive(BotSessionsChangedDocument, { id });
  return { sessions: data?.application?.gatewaySessions, error, again };
}

function intentsText(intents: number): string {
  const names = INTENTS.filter(({ bit }) => (intents & bit) !== 0).map(({ name }) => name);
  if (names.length === 0) return 'No intents';
  return `${names.length === 1 ? 'Intent' : 'Intents'}: ${names.join(', ')} (${intents})`;
}

export function BotSessions({ sessions, ...answer }: ReturnType<typeof useBotSessions>) {
  if (!sessions) return <Awaited answer={answer} lines={1} />;
  if (sessions.length === 0) return <p className="hint">Offline. Start your bot and it will appear here.</p>;
  return (
    <ul className="list" aria-label="Gateway sessions">
      {sessions.map(({ id, shardId, shardCount, intents, connectedAt }) => (
        <li key={id}>
          <p>
            {shardCount > 1 ? `Shard ${shardId} of ${shardCount}, connected` : 'Connected'} <Ago at={connectedAt} />
            <span className="soft small"> · {intentsText(intents)}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}
