import { InstalledServersDocument } from '../../gql/applications/installed-servers.js';
import type { InstalledServersQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { useApplication } from './application.js';

/** A server of the caller's in which the open application is installed. */
export type InstalledServer = InstalledServersQuery['guilds'][number];

/** The servers of the caller's in which the open application is installed; undefined until they are known. */
export function useInstalledServers() {
  const { id } = useApplication();
  const { data, error, again } = useQuery({ query: InstalledServersDocument });
  const servers: InstalledServer[] | undefined = data?.guilds.filter(({ installations }) =>
    installations.some(({ application }) => application.id === id),
  );
  return { servers, error, again };
}
