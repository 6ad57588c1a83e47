import type { MemberOperation, MemberRowFragment, RoleOperation, RoleRowFragment } from '../../../gql/types.js';
import { lacks, type PermissionName } from '../permissions.js';
import { ON_ITS_BOX, useIsOnBox, useLack, useSelf, useServer } from '../server.js';

const NEEDED: Record<MemberOperation, PermissionName> = {
  CHANGE_NICK: 'ManageNicknames',
  CHANGE_ROLES: 'ManageRoles',
  TIME_OUT: 'ModerateMembers',
  KICK: 'KickMembers',
  BAN: 'BanMembers',
};

/** The returned function says why the user may not perform an operation; undefined if they may. */
export function useWhyNotMember({ user, viewerOperations }: MemberRowFragment) {
  const { owner, viewerPermissions } = useServer();
  const isOnBox = useIsOnBox();
  const { id: selfId } = useSelf();
  const own = user.id === selfId;
  return (operation: MemberOperation): string | undefined => {
    if (viewerOperations.includes(operation)) return undefined;
    const needed = own && operation === 'CHANGE_NICK' ? 'ChangeNickname' : NEEDED[operation];
    if (isOnBox) return ON_ITS_BOX;
    return lacks(viewerPermissions, needed) ?? rankText(user.id === owner?.id, operation);
  };
}

function rankText(isOwner: boolean, operation: MemberOperation): string {
  if (isOwner) return "No one ranks above the server's owner.";
  return operation === 'TIME_OUT'
    ? "Your highest role must be above theirs, and administrators can't be timed out."
    : 'Your highest role must be above theirs.';
}

/** Returns why the user may not perform the operation; undefined if they may, or without a role. */
export function useWhyNotRole(role: RoleRowFragment | undefined, operation: RoleOperation): string | undefined {
  const lack = useLack('ManageRoles');
  if (!role || role.viewerOperations.includes(operation)) return undefined;
  return lack ?? 'You can change only roles below your highest role.';
}
