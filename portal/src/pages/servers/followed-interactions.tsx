import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FollowedInteractionDocument, InteractionChangedDocument } from '../../gql/servers/commands.js';
import type { InteractionShownFragment } from '../../gql/types.js';
import { useSubscription } from '../../live.js';
import { useQuery } from '../../query.js';
import { ModalDialog } from './modal-dialog.js';

interface FollowedProps {
  followed: readonly InteractionShownFragment[];
  follow: (interaction: InteractionShownFragment) => void;
  drop: (id: string) => void;
}

/** What became of what somebody ran here last. */
export function FollowedInteractions({ followed, follow, drop }: FollowedProps) {
  if (followed.length === 0) return null;
  return (
    <ul className="followed" aria-label="What you ran">
      {followed.map((one) => (
        <FollowedInteraction key={one.id} started={one} follow={follow} onDrop={() => drop(one.id)} />
      ))}
    </ul>
  );
}

interface FollowedInteractionProps {
  started: InteractionShownFragment;
  follow: (interaction: InteractionShownFragment) => void;
  onDrop: () => void;
}

function FollowedInteraction({ started, follow, onDrop }: FollowedInteractionProps) {
  const interaction = useInteraction(started);
  const [isClosed, setClosed] = useState(false);
  const { id, name, type, modal, state, application } = interaction;
  const isSeen = application?.viewerOperations.includes('VIEW_INTERACTIONS');
  return (
    <li>
      <span role="status">
        <bdi>{type === COMMAND ? `/${name}` : name}</bdi> {words(interaction)}
      </span>
      {isSeen && <a href={`/portal/applications/${application?.id}/interactions/${id}`}>Timeline</a>}
      <button type="button" className="link small" aria-label={`Dismiss ${name}`} onClick={onDrop}>
        Dismiss
      </button>
      {modal !== null && state === 'ANSWERED' && !isClosed && (
        <ModalDialog interactionId={id} modal={modal} follow={follow} onClose={() => setClosed(true)} />
      )}
    </li>
  );
}

const COMMAND = 2;

function words({ state, failure, application, modal }: InteractionShownFragment): string {
  const who = application?.name ?? 'The platform';
  switch (state) {
    case 'DELIVERING':
      return 'is on its way …';
    case 'DELIVERED_HTTP':
    case 'DELIVERED_GATEWAY':
      return `waits for ${who} …`;
    case 'DEFERRED':
      return `– ${who} is thinking …`;
    case 'ANSWERED':
      return modal === null ? 'was answered.' : 'asks you something.';
    case 'FAILED':
      return `failed: ${failure ?? `${who} did not answer.`}`;
    case 'EXPIRED':
      return `was not finished: ${failure ?? `${who} did not go on within 15 minutes.`}`;
  }
}

/** How often an interaction is asked for that should have been answered by now, in milliseconds. */
const ASK_MS = 2_000;

const WAITING: ReadonlySet<string> = new Set(['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY']);

/** The interaction as it is, live. What changed before anybody listened, and times that nobody tells of, are asked for. */
function useInteraction(started: InteractionShownFragment): InteractionShownFragment {
  const variables = { id: started.id };
  const client = useClient();
  const [{ data }] = useQuery({ query: FollowedInteractionDocument, variables });
  useSubscription({ query: InteractionChangedDocument, variables });
  const interaction = data?.interaction ?? started;
  const isWaiting = WAITING.has(interaction.state);
  const { id } = started;
  useEffect(() => {
    if (!isWaiting) return;
    const ask = () =>
      void client.query(FollowedInteractionDocument, { id }, { requestPolicy: 'network-only' }).toPromise();
    const timer = setInterval(ask, ASK_MS);
    return () => clearInterval(timer);
  }, [client, id, isWaiting]);
  return interaction;
}
