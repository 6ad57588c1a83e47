import { Link, useParams } from '@tanstack/react-router';
import {
  CommandAccessChangedDocument,
  CommandAccessesDocument,
  IntegrationDocument,
} from '../../../gql/servers/integrations/integration.js';
import type { CommandAccessesFragment, GrantedCommandFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { NotFound } from '../../../ui/endings.js';
import { Awaited } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { isMalformedId } from '../../../ui/problems.js';
import { ON_ITS_BOX, useIsOnBox, useLack, useServer } from '../server.js';
import { nameOf } from './command-name.js';
import { Explainer } from './explainer.js';
import { GrantTable } from './grant-table.js';
import { effectText, grantsOf } from './grants.js';
import './integrations.css';

export function Integration() {
  if (!useIsOnBox()) return <IntegrationHere />;
  return (
    <section className="card">
      <AllLink />
      <h2>Command permissions</h2>
      <p className="hint">{ON_ITS_BOX}</p>
    </section>
  );
}

function AllLink() {
  const { id: guildId } = useServer();
  return (
    <p className="small">
      <Link to="/servers/$guildId/integrations" params={{ guildId }}>
        All integrations
      </Link>
    </p>
  );
}

function IntegrationHere() {
  const { guildId, applicationId } = useParams({ from: '/frame/servers/$guildId/integrations/$applicationId' });
  const { name: server } = useServer();
  const lack = useLack('ManageGuild');
  const answer = useQuery({ query: IntegrationDocument, variables: { guildId, applicationId } });
  const { data } = answer;
  const application = data?.guild?.installation?.application;
  useTitle(application?.name ?? 'Integration', server);
  if (answer.error && isMalformedId(answer.error)) return <NotFound isPart />;
  if (!data) return <Awaited answer={answer} />;
  if (!application) return <NotFound isPart />;
  // Both lists are empty for users without a role in the application.
  const commands = [...application.commands, ...application.own];
  return (
    <>
      <section className="card">
        <AllLink />
        <h2>
          Command permissions for <Name>{application.name}</Name>
        </h2>
        <p>
          A command's own permissions override the default for all commands. Members can run a command only if allowed.
          The server's owner and administrators always can.
        </p>
        {lack && <p className="hint">{lack}</p>}
      </section>
      {!lack && <Lists applicationId={applicationId} />}
      {lack && commands.length > 0 && <Explainer commands={commands} />}
    </>
  );
}

function Lists({ applicationId }: { applicationId: string }) {
  const { id: guildId } = useServer();
  const { commandId = null } = useParams({ strict: false });
  const variables = { guildId, applicationId };
  const answer = useQuery({ query: CommandAccessesDocument, variables });
  const { data } = answer;
  useLive(CommandAccessChangedDocument, variables);
  if (!data?.guild) return <Awaited answer={answer} />;
  const access = data.guild.commandAccess;
  const opened = access.find(({ command }) => (command?.id ?? null) === commandId);
  if (!opened) return <NotFound isPart />;
  const commands = access.flatMap(({ command }) => command ?? []);
  const title = opened.command ? nameOf(opened.command) : 'all commands';
  return (
    <>
      <section className="card" aria-label="Effective permissions">
        <h2>Effective permissions</h2>
        {commands.length === 0 && <p className="hint">This application has no commands yet.</p>}
        <Effects applicationId={applicationId} access={access} />
      </section>
      <section className="card" aria-label={`Permissions for ${title}`}>
        <h2>{opened.command ? `Permissions for ${title}` : 'Default for all commands'}</h2>
        <GrantTable
          key={commandId}
          applicationId={applicationId}
          commandId={commandId}
          grants={grantsOf(opened.permissions)}
        />
      </section>
      {commands.length > 0 && <Explainer commands={commands} asOf={JSON.stringify(access)} />}
    </>
  );
}

type Access = CommandAccessesFragment['commandAccess'];

function Effects({ applicationId, access }: { applicationId: string; access: Access }) {
  const server = useServer();
  const params = { guildId: server.id, applicationId };
  return (
    <div className="scroll">
      <table className="effects">
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Who can run it</th>
          </tr>
        </thead>
        <tbody>
          {access.map(({ command, permissions, effective }) => (
            <tr key={command?.id ?? 'all'}>
              <th scope="row">
                <ListLink params={params} command={command} />
              </th>
              <td>
                {effectText(grantsOf(effective), server)}
                {command && grantsOf(permissions).length > 0 && <span className="badge">own permissions</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ListLinkProps {
  params: { guildId: string; applicationId: string };
  command: GrantedCommandFragment | null;
}

function ListLink({ params, command }: ListLinkProps) {
  if (!command) {
    return (
      <Link
        to="/servers/$guildId/integrations/$applicationId"
        params={params}
        activeOptions={{ exact: true }}
        resetScroll={false}
      >
        All commands
      </Link>
    );
  }
  return (
    <Link
      to="/servers/$guildId/integrations/$applicationId/$commandId"
      params={{ ...params, commandId: command.id }}
      resetScroll={false}
    >
      {nameOf(command)}
    </Link>
  );
}
