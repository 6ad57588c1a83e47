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

/** What stands where something of a server is done on its box, and not in the cloud of that. */
export const ON_ITS_BOX = 'This is done on the box that the server lives on.';

/** Whether a server lives on a box of which this is the cloud: nothing is done with it here but to install and to look. */
export function isOnBox({ viewerOperations }: Pick<GuildPageFragment, 'viewerOperations'>): boolean {
  return viewerOperations.length === 0;
}

/** Whether the open one does. */
export function useIsOnBox(): boolean {
  return isOnBox(useServer());
}

/** Why the caller may not do something here that is done where the server lives; undefined when they may. */
export function useLack(name: PermissionName): string | undefined {
  const { viewerPermissions } = useServer();
  return useIsOnBox() ? ON_ITS_BOX : lacks(viewerPermissions, name);
}

/** Why the caller may not take an application out of the server, which is done in the cloud of a box, too; undefined when they may. */
export function useInstallLack(): string | undefined {
  return lacks(useServer().viewerPermissions, 'ManageGuild');
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
