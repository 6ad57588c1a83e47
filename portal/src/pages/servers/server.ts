import { createContext, useContext } from 'react';
import { useClient } from 'urql';
import { UpdateGuildDocument } from '../../gql/servers/layout.js';
import type { GuildPageFragment, UpdateGuildInput } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { lacks, type PermissionName } from './permissions.js';

/** The server whose pages are open, as it is at the moment. */
export const ServerContext = createContext<GuildPageFragment | null>(null);

/** The server whose pages are open. */
export function useServer(): GuildPageFragment {
  const server = useContext(ServerContext);
  if (!server) throw new Error('no server is open');
  return server;
}

/** Why the caller may not do something in the server; undefined when they may. */
export function useLack(name: PermissionName): string | undefined {
  return lacks(useServer().viewerPermissions, name);
}

/** The caller. */
export function useSelf(): { id: string } {
  return { id: useMyId() ?? '' };
}

/** Saves settings of the server: only those that are given. */
export function useUpdateServer() {
  const client = useClient();
  const { id } = useServer();
  return (changes: Omit<UpdateGuildInput, 'guildId'>) =>
    client.mutation(UpdateGuildDocument, { input: { guildId: id, ...changes } }).toPromise();
}
