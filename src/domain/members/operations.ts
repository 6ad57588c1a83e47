import { type GuildOperation, neededInGuild } from '../guild-operations.js';
import { allows, type GuildPermissionInput, guildPermissions, Permission } from '../permissions.js';
import { type Ranked, ranksAbove } from '../roles/rank.js';

export const OPERATIONS_ON_MEMBERS = ['changeNick', 'changeRoles', 'timeOut', 'kick', 'ban'] as const;

export type OperationOnMember = (typeof OPERATIONS_ON_MEMBERS)[number];

export function operationsOnMember(
  guild: GuildPermissionInput,
  caller: Ranked & { permissions: bigint },
  member: Ranked & { roleIds: readonly bigint[] },
): OperationOnMember[] {
  const isOwn = caller.userId === member.userId;
  const isAbove = ranksAbove(guild, caller, member);
  const holds = (operation: GuildOperation) => allows(caller.permissions, neededInGuild([operation]));
  const may: Record<OperationOnMember, boolean> = {
    changeNick: isOwn ? holds('updateOwnNick') : isAbove && holds('updateNick'),
    changeRoles: holds('setMemberRoles'),
    timeOut:
      isAbove && holds('timeOutMember') && canBeTimedOut(guildPermissions(guild, { ...member, isTimedOut: false })),
    kick: isAbove && holds('kickMember'),
    ban: isAbove && holds('banMember'),
  };
  return OPERATIONS_ON_MEMBERS.filter((operation) => may[operation]);
}

export function canBeTimedOut(permissions: bigint): boolean {
  return !allows(permissions, Permission.Administrator);
}
