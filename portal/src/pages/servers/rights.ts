import type {
  GuildPageFragment,
  MemberOperation,
  MemberRowFragment,
  RoleOperation,
  RoleRowFragment,
} from '../../gql/types.js';
import { lacks, type PermissionName } from './permissions.js';
import { useSelf, useServer } from './server.js';

const NEEDED: Record<MemberOperation, PermissionName> = {
  CHANGE_NICK: 'ManageNicknames',
  CHANGE_ROLES: 'ManageRoles',
  TIME_OUT: 'ModerateMembers',
  KICK: 'KickMembers',
  BAN: 'BanMembers',
};

/** Tells why the caller may not do something with a member; undefined where they may. */
export function useWhyNotMember({ user, viewerOperations }: MemberRowFragment) {
  const server = useServer();
  const { id: selfId } = useSelf();
  const own = user.id === selfId;
  return (operation: MemberOperation): string | undefined => {
    if (viewerOperations.includes(operation)) return undefined;
    const needed = own && operation === 'CHANGE_NICK' ? 'ChangeNickname' : NEEDED[operation];
    return lackIn(server, needed) ?? rankText(user.id === server.owner?.id, operation);
  };
}

function rankText(isOwner: boolean, operation: MemberOperation): string {
  if (isOwner) return 'They own the server: nobody ranks above them.';
  return operation === 'TIME_OUT'
    ? 'Only who has a higher role than they have can, and an administrator cannot be timed out.'
    : 'Only who has a higher role than they have can.';
}

/** Why the caller may not do it with a role; undefined where they may, or where there is none. */
export function useWhyNotRole(role: RoleRowFragment | undefined, operation: RoleOperation): string | undefined {
  const server = useServer();
  if (!role || role.viewerOperations.includes(operation)) return undefined;
  return lackIn(server, 'ManageRoles') ?? 'Only who has a higher role can change it.';
}

/** What the caller lacks for it in the server at large; of one on a box nothing is done from here. */
function lackIn({ viewerOperations, viewerPermissions }: GuildPageFragment, name: PermissionName): string | undefined {
  return viewerOperations.length === 0 ? 'This is done on its box only.' : lacks(viewerPermissions, name);
}
