import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { GrantedCommandsDocument } from '../../gql/servers/integration.js';
import type { GrantedCommandFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Select } from '../../ui/field.js';
import { Skeleton } from '../../ui/listing.js';
import { Name, useTitle } from '../../ui/page.js';
import { nameOf } from './command-name.js';
import { Explainer } from './explainer.js';
import { GrantTable } from './grant-table.js';
import { useServer } from './server.js';
import './integrations.css';

/** Who may run the commands of one application in the server. */
export function Integration() {
  const { guildId, applicationId } = useParams({ from: '/frame/servers/$guildId/integrations/$applicationId' });
  const { name: server } = useServer();
  const [{ data, error }] = useQuery({ query: GrantedCommandsDocument, variables: { guildId, applicationId } });
  const application = data?.application;
  useTitle(application?.name ?? 'Integration', server);
  if (!application) return data || error ? <Absent /> : <Skeleton />;
  const commands = [...application.commands, ...application.own];
  return (
    <>
      <section className="card">
        <p className="soft small">
          <Link to="/servers/$guildId/integrations" params={{ guildId }}>
            All integrations
          </Link>
        </p>
        <h2>
          Who may run the commands of <Name>{application.name}</Name>
        </h2>
        <Grants key={applicationId} applicationId={applicationId} commands={commands} />
      </section>
      <Explainer commands={commands} />
    </>
  );
}

function Absent() {
  return <p className="hint">This application is not installed here.</p>;
}

interface GrantsProps {
  applicationId: string;
  commands: readonly GrantedCommandFragment[];
}

function Grants({ applicationId, commands }: GrantsProps) {
  const [commandId, setCommandId] = useState('');
  return (
    <>
      <p>
        A command’s own list takes the place of the application’s. Whom no list allows may not run it; the server’s
        owner and administrators always may.
      </p>
      <Select label="List" value={commandId} onChange={({ target }) => setCommandId(target.value)}>
        <option value="">All commands (the application’s default)</option>
        {commands.map((command) => (
          <option key={command.id} value={command.id}>
            {nameOf(command)}
          </option>
        ))}
      </Select>
      <GrantTable key={commandId} applicationId={applicationId} commandId={commandId === '' ? null : commandId} />
    </>
  );
}
