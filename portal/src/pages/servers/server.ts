import { createContext, useContext } from 'react';
import { useClient } from 'urql';
import { UpdateGuildDocument } from '../../gql/servers/layout.js';
import type { GuildPageFragment, UpdateGuildInput } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { lacks, type PermissionName } from './permissions.js';

export const ServerContext = createContext<GuildPageFragment | null>(null);

export function useServer(): GuildPageFragment {
  const server = useContext(ServerContext);
  if (!server) throw new Error('useServer must be used inside ServerContext.');
  return server;
}

export const ON_ITS_BOX = "This server runs on a box. Use the box's own portal for this.";

/** Servers on a box can only be viewed here, and their installations managed. */
export function isOnBox({ viewerOperations }: Pick<GuildPageFragment, 'viewerOperations'>): boolean {
  return viewerOperations.length === 0;
}

export function useIsOnBox(): boolean {
  return isOnBox(useServer());
}

/** Returns why the user may not perform an action here, or undefined if they may. */
export function useLack(name: PermissionName): string | undefined {
  const { viewerPermissions } = useServer();
  return useIsOnBox() ? ON_ITS_BOX : lacks(viewerPermissions, name);
}

/** Unlike other actions, this works for servers on a box, too. */
export function useInstallLack(): string | undefined {
  return lacks(useServer().viewerPermissions, 'ManageGuild');
}

export function useSelf(): { id: string } {
  return { id: useMyId() ?? '' };
}

export function useUpdateServer() {
  const client = useClient();
  const { id } = useServer();
  return (changes: Omit<UpdateGuildInput, 'guildId'>) =>
    client.mutation(UpdateGuildDocument, { input: { guildId: id, ...changes } }).toPromise();
}
