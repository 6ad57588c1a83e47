import { Link } from '@tanstack/react-router';
import { InteractionDocument, TimelineChangedDocument } from '../../../gql/applications/interactions/interactions.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { useRenewal } from '../../../renewal.js';
import { Awaited } from '../../../ui/listing.js';
import { Steps } from '../../applications/interactions/interaction.js';
import { useAsking } from './followed-interactions.js';

interface InteractionPanelProps {
  watched: InteractionShownFragment;
  onClose: () => void;
}

export default function InteractionPanel({ watched, onClose }: InteractionPanelProps) {
  const { id, application, name } = watched;
  return (
    <aside className="card channel-timeline" aria-label={`Timeline of ${name}`}>
      <h2>
        Timeline of <bdi>{name}</bdi>
      </h2>
      <Timeline id={id} />
      <div className="actions">
        {application && (
          <Link
            to="/applications/$applicationId/interactions/$interactionId"
            params={{ applicationId: application.id, interactionId: id }}
          >
            Open interaction
          </Link>
        )}
        <button type="button" className="plain small" onClick={onClose}>
          Close
        </button>
      </div>
    </aside>
  );
}

function Timeline({ id }: { id: string }) {
  const answer = useQuery({ query: InteractionDocument, variables: { id } });
  const { data, again } = answer;
  useLive(TimelineChangedDocument, { id });
  const state = data?.interaction?.state;
  useAsking(state, again);
  useRenewal(again);
  if (!data) return <Awaited answer={answer} />;
  const steps = data.interaction?.trace ?? [];
  if (steps.length === 0) return <p className="hint">No steps recorded yet.</p>;
  return <Steps trace={steps} />;
}
