import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  CommandServersDocument,
  CommandsChangedDocument,
  CommandsDocument,
  ServerInstallationsDocument,
} from '../../../gql/applications/commands/commands.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { Select } from '../../../ui/field.js';
import { Awaited } from '../../../ui/listing.js';
import { isOnBox, ON_ITS_BOX } from '../../servers/server.js';
import { useApplication } from '../application.js';

/** Reads the server from the URL. Null stands for global commands. */
export function useServer(): string | null {
  return useSearch({ strict: false }).server ?? null;
}

export function searchOf(server: string | null): { server?: string } {
  return server === null ? {} : { server };
}

/**
 * Hides its children for servers without the application: their `commands` field fails, and the whole query with it.
 */
export function Installed({ children }: { children: ReactNode }) {
  const server = useServer();
  if (server === null) return children;
  return (
    <InstalledIn key={server} server={server}>
      {children}
    </InstalledIn>
  );
}

function InstalledIn({ server, children }: { server: string; children: ReactNode }) {
  const { id } = useApplication();
  const answer = useQuery({ query: ServerInstallationsDocument, variables: { id: server } });
  const { data } = answer;
  if (!data) return <Awaited answer={answer} />;
  if (data.guild && isOnBox(data.guild)) return <p className="hint">{ON_ITS_BOX}</p>;
  if (data.guild?.installations.some(({ application }) => application.id === id)) return children;
  return (
    <p className="hint">
      {data.guild
        ? 'The application is not installed in this server. Install it to add commands here.'
        : 'This server was not found. It may have been deleted, or you are not a member.'}
    </p>
  );
}

export function useCommands(guildId: string | null) {
  const { id } = useApplication();
  const variables = { id, guildId };
  const { data, error, again, fetching } = useQuery({ query: CommandsDocument, variables });
  useLive(CommandsChangedDocument, variables);
  return { commands: data?.application?.commands, error, again, isBusy: fetching };
}

export function ScopeSelect() {
  const server = useServer();
  const navigate = useNavigate({ from: '/applications/$applicationId/commands' });
  const { data } = useQuery({ query: CommandServersDocument });
  const guilds = data?.guilds ?? [];
  return (
    <Select
      label="Scope"
      value={server ?? ''}
      onChange={({ target: { value } }) => void navigate({ search: searchOf(value === '' ? null : value) })}
    >
      <option value="">Global</option>
      {guilds.map(({ id, name }) => (
        <option key={id} value={id}>
          Only in {name}
        </option>
      ))}
      {server !== null && data && guilds.every(({ id }) => id !== server) && (
        <option value={server}>Only in server {server}</option>
      )}
    </Select>
  );
}

export function useScopeText(): string {
  const server = useServer();
  const isPaused = server === null;
  const { data } = useQuery({ query: CommandServersDocument, requestPolicy: 'cache-first', pause: isPaused });
  if (server === null) return 'Global';
  return `Only in ${data?.guilds.find(({ id }) => id === server)?.name ?? `server ${server}`}`;
}
