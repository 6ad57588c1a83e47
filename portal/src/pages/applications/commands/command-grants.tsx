import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CommandAccessesDocument } from '../../../gql/servers/integrations/integration.js';
import { useQuery } from '../../../query.js';
import { Awaited } from '../../../ui/listing.js';
import { Name } from '../../../ui/page.js';
import { sentenceOf, unshownProblem } from '../../../ui/problems.js';
import { type Grant, grantsOf } from '../../servers/integrations/grants.js';
import { holds } from '../../servers/permissions.js';
import { useApplication } from '../application.js';
import { type InstalledServer, useInstalledServers } from '../installed-servers.js';
import { useServer } from './command-scope.js';

/** Loads its data when opened. */
export function WhoMayRun({ commandId }: { commandId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="command-grants" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Access by server</summary>
      {isOpen && <Servers commandId={commandId} />}
    </details>
  );
}

function Servers({ commandId }: { commandId: string }) {
  const only = useServer();
  const { servers, ...answer } = useInstalledServers();
  if (!servers) return <Awaited answer={answer} lines={2} />;
  const shown = servers.filter(({ id }) => only === null || id === only);
  if (shown.length === 0) return <p className="hint">The application is not installed in any of your servers.</p>;
  return (
    <ul className="list" aria-label="Access by server">
      {shown.map((server) => (
        <Row key={server.id} server={server} commandId={commandId} />
      ))}
    </ul>
  );
}

function Row({ server, commandId }: { server: InstalledServer; commandId: string }) {
  const { id: applicationId } = useApplication();
  const { id: guildId, name, viewerPermissions } = server;
  if (!holds(viewerPermissions, 'ManageGuild'))
    return (
      <li>
        <p>
          <Name>{name}</Name>: <span className="soft">visible to members with the Manage Server permission.</span>
        </p>
      </li>
    );
  return (
    <li>
      <p>
        <Name>{name}</Name>: <Who guildId={guildId} commandId={commandId} />
      </p>
      <Link
        to="/servers/$guildId/integrations/$applicationId"
        params={{ guildId, applicationId }}
        aria-label={`Edit access in ${name}`}
      >
        Edit access
      </Link>
    </li>
  );
}

function Who({ guildId, commandId }: { guildId: string; commandId: string }) {
  const { id: applicationId } = useApplication();
  const { data, error } = useQuery({ query: CommandAccessesDocument, variables: { guildId, applicationId } });
  if (!data) return <span className={error ? 'fault' : 'soft'}>{error ? sentenceOf(unshownProblem(error)) : '…'}</span>;
  const access = data.guild?.commandAccess.find(({ command }) => command?.id === commandId);
  const grants = grantsOf(access?.effective ?? []);
  if (grants.length === 0) return <>only the server's owner and administrators.</>;
  const hasOwnList = grantsOf(access?.permissions ?? []).length > 0;
  return (
    <>
      {wordsFor(grants, guildId)} ({hasOwnList ? 'set for this command' : 'set for the whole application'}).
    </>
  );
}

const KINDS: Record<Grant['type'], [one: string, many: string]> = {
  ROLE: ['role', 'roles'],
  USER: ['user', 'users'],
  CHANNEL: ['channel', 'channels'],
};

function wordsFor(grants: readonly Grant[], guildId: string): string {
  const isEverybody = ({ type, id }: Grant) => type === 'ROLE' && id === guildId;
  const some = (allow: boolean) =>
    Object.entries(KINDS).flatMap(([type, [one, many]]) => {
      const count = grants.filter(
        (grant) => grant.type === type && grant.allow === allow && !isEverybody(grant),
      ).length;
      return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
    });
  const everybody = grants.find(isEverybody);
  const allowed = [...(everybody?.allow ? ['everyone'] : []), ...some(true)];
  const denied = [...(everybody?.allow === false ? ['everyone else'] : []), ...some(false)];
  return [
    allowed.length > 0 ? `allowed for ${allowed.join(', ')}` : 'allowed for no one',
    ...(denied.length > 0 ? [`denied to ${denied.join(', ')}`] : []),
  ].join('; ');
}
