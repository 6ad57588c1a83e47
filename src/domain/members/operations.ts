import { type GuildOperation, neededInGuild } from '../guild-operations.js';
import { allows, guildPermissions, Permission, type PermissionFacts } from '../permissions.js';
import { type Ranked, ranksAbove } from '../roles/rank.js';

/** What people do with a member of a guild, also with themselves. */
export const OPERATIONS_ON_MEMBERS = ['changeNick', 'changeRoles', 'timeOut', 'kick', 'ban'] as const;

export type OperationOnMember = (typeof OPERATIONS_ON_MEMBERS)[number];

/** What somebody may do with a member, by what they may do in the guild and how both rank in it. */
export function operationsOnMember(
  guild: PermissionFacts,
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

/** Whether somebody can be timed out who may do this in the guild: an administrator cannot. */
export function canBeTimedOut(permissions: bigint): boolean {
  return !allows(permissions, Permission.Administrator);
}
