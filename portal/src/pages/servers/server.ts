import { createContext, useContext } from 'react';
import { useClient } from 'urql';
import { UpdateGuildDocument } from '../../gql/servers/layout.js';
import type { GuildPageFragment, UpdateGuildInput } from '../../gql/types.js';
import { useMyId } from '../../me.js';
import { lacks, type PermissionName } from './permissions.js';

export const ServerContext = createContext<GuildPageFragment | null>(null);

/** The server of the current page. */
export function useServer(): GuildPageFragment {
  const server = useContext(ServerContext);
  if (!server) throw new Error('no server is open');
  return server;
}

/** Shown in place of actions that are available only on the server's box. */
export const ON_ITS_BOX = 'This is done on the box that the server lives on.';

/** Whether the server is stored on a box. From its cloud, users can only view it and manage its installations. */
export function isOnBox({ viewerOperations }: Pick<GuildPageFragment, 'viewerOperations'>): boolean {
  return viewerOperations.length === 0;
}

export function useIsOnBox(): boolean {
  return isOnBox(useServer());
}

/**
 * Why the user may not perform an action here; undefined if they may. On a box's server, every such action is refused.
 */
export function useLack(name: PermissionName): string | undefined {
  const { viewerPermissions } = useServer();
  return useIsOnBox() ? ON_ITS_BOX : lacks(viewerPermissions, name);
}

/**
 * Why the user may not uninstall applications; undefined if they may. Unlike other actions, this works for servers on a
 * box, too.
 */
export function useInstallLack(): string | undefined {
  return lacks(useServer().viewerPermissions, 'ManageGuild');
}

export function useSelf(): { id: string } {
  return { id: useMyId() ?? '' };
}

/** Returns a function that updates the given settings. */
export function useUpdateServer() {
  const client = useClient();
  const { id } = useServer();
  return (changes: Omit<UpdateGuildInput, 'guildId'>) =>
    client.mutation(UpdateGuildDocument, { input: { guildId: id, ...changes } }).toPromise();
}
