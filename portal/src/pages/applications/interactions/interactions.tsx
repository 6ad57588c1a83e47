import { Link } from '@tanstack/react-router';
import { ServerChannelsDocument } from '../../../gql/applications/webhooks/webhooks.js';
import { useQuery } from '../../../query.js';
import { Name, useTitle } from '../../../ui/page.js';
import { isMessageChannel } from '../../servers/channels-of.js';
import { useApplication } from '../application.js';
import { useInstalledServers } from '../installed-servers.js';
import { EndpointCard } from './endpoint.js';
import { InteractionLog } from './interaction-list.js';
import './interactions.css';

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
        No interactions in the last 7 days. Run a command of this application in a server, and each step appears here as
        it happens.
      </p>
      <div className="actions">
        <RunLink />
        <Link className="button plain" to="/applications/$applicationId/commands" params={{ applicationId: id }}>
          View commands
        </Link>
      </div>
    </div>
  );
}

/** Links to a channel of the first server with the application, or to its installation page. */
function RunLink() {
  const { id: applicationId } = useApplication();
  const { servers } = useInstalledServers();
  const [server] = servers ?? [];
  const guildId = server?.id ?? '';
  const { data } = useQuery({ query: ServerChannelsDocument, variables: { id: guildId }, pause: guildId === '' });
  const channel = data?.guild?.channels.find(isMessageChannel);
  if (servers?.length === 0)
    return (
      <Link className="button" to="/applications/$applicationId/installation" params={{ applicationId }}>
        Install the application
      </Link>
    );
  if (!server || !channel) return null;
  return (
    <Link className="button" to="/servers/$guildId/channels/$channelId" params={{ guildId, channelId: channel.id }}>
      <span>
        Run a command in <Name>{server.name}</Name>
      </span>
    </Link>
  );
}
