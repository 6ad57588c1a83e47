import { Link } from '@tanstack/react-router';
import { useTitle } from '../../ui/page.js';
import { useApplication } from './application.js';
import { EndpointCard } from './endpoint.js';
import { InteractionLog } from './interaction-list.js';
import './interactions.css';

/** Where interactions go, how that went, and what became of each. */
export function Interactions() {
  const { id, name } = useApplication();
  useTitle('Interactions', name);
  return (
    <>
      <EndpointCard />
      <InteractionLog key={id} id={id} empty={<Nothing id={id} />} />
    </>
  );
}

function Nothing({ id }: { id: string }) {
  return (
    <div className="hint">
      <p>
        Nothing yet, in the last seven days. Somebody has to run a command of this application in a server where it is
        installed; what happens then shows here at once, step by step.
      </p>
      <p>
        <Link to="/applications/$applicationId/commands" params={{ applicationId: id }}>
          Commands of this application
        </Link>
      </p>
    </div>
  );
}
