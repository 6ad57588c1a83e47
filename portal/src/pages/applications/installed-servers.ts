import type { CombinedError } from 'urql';
import { InstalledServersDocument } from '../../gql/applications/installed-servers.js';
import type { InstalledServersQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { useApplication } from './application.js';

/** A server of the caller's in which the open application is installed. */
export type InstalledServer = InstalledServersQuery['guilds'][number];

/** The servers of the caller's in which the open application is installed; undefined until they are known. */
export function useInstalledServers(): { servers: InstalledServer[] | undefined; error: CombinedError | undefined } {
  const { id } = useApplication();
  const { data, error } = useQuery({ query: InstalledServersDocument });
  const servers = data?.guilds.filter(({ installations }) =>
    installations.some(({ application }) => application.id === id),
  );
  return { servers, error };
}
