import { InstalledServersDocument } from '../../gql/applications/installed-servers.js';
import type { InstalledServersQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { useApplication } from './application.js';

export type InstalledServer = InstalledServersQuery['guilds'][number];

/** `servers` is undefined while loading. */
export function useInstalledServers() {
  const { id } = useApplication();
  const { data, error, again } = useQuery({ query: InstalledServersDocument });
  const servers: InstalledServer[] | undefined = data?.guilds.filter(({ installations }) =>
    installations.some(({ application }) => application.id === id),
  );
  return { servers, error, again };
}
