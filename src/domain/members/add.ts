import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import type { GuildOperation } from '../guild-operations.js';
import { accessGuild } from '../guilds/access.js';
import type { GuildView } from '../guilds/views.js';
import { findTokenActor } from '../oauth/access-tokens.js';
import { becomeMember } from './become.js';
import type { MemberRecord } from './record.js';
import { auditRoles, rolesForNewMember } from './roles.js';

export interface AddMemberInput {
  guildId: bigint;
  userId: bigint;
  /** The user's token with the scope `guilds.join`, for the calling bot's application. */
  accessToken: string;
  nick?: string | null | undefined;
  roleIds?: bigint[] | null | undefined;
  /** `mute` and `deaf` need permissions but have no effect, because a new member is not in voice. */
  mute?: boolean | null | undefined;
  deaf?: boolean | null | undefined;
}

/**
 * Adds a user who granted `guilds.join` (Discord's documentation, OAuth2). Each optional field needs its own
 * permission.
 * @returns null, without changes, if the user is a member already
 * @throws ACCESS_TOKEN_REFUSED, BANNED, MISSING_SCOPE, UNKNOWN_ROLE and the errors of `accessGuild`
 */
export async function addMember(call: CallContext, input: AddMemberInput): Promise<MemberRecord | null> {
  const { guildId, userId } = input;
  const { view } = await accessGuild(call, guildId, 'addMember', ...operationsOf(input));
  await checkAccessToken(call, input);
  if (await call.guilds.member(guildId, userId)) return null;
  try {
    return await writeMember(call, view, input);
  } catch (error) {
    if (isUniqueConflict(error)) return null;
    throw isMissingReference(error) ? new DomainError('UNKNOWN_GUILD') : error;
  }
}

function operationsOf({ nick, roleIds, mute, deaf }: AddMemberInput): GuildOperation[] {
  const ifGiven = (value: unknown, operation: GuildOperation) =>
    value === undefined || value === null ? [] : [operation];
  return [
    ...ifGiven(nick, 'addMemberWithNick'),
    ...ifGiven(roleIds, 'addMemberWithRoles'),
    ...ifGiven(mute, 'addMemberMuted'),
    ...ifGiven(deaf, 'addMemberDeafened'),
  ];
}

/** @throws ACCESS_TOKEN_REFUSED, MISSING_SCOPE */
async function checkAccessToken(call: CallContext, { accessToken, userId }: AddMemberInput): Promise<void> {
  const caller = requireUser(call);
  const token = await findTokenActor(call.read, call.clock.now(), accessToken);
  if (!token || token.user.id !== userId || caller.kind !== 'bot' || token.applicationId !== caller.applicationId) {
    throw new DomainError('ACCESS_TOKEN_REFUSED');
  }
  if (!token.scopes.includes('guilds.join')) {
    throw new DomainError('MISSING_SCOPE');
  }
}

function writeMember(call: CallContext, guild: GuildView, input: AddMemberInput): Promise<MemberRecord> {
  const { guildId, userId, nick = null } = input;
  return call.write(
    async (write) => {
      const roles = await rolesForNewMember(call, write.db, guild, input.roleIds ?? []);
      const member = await becomeMember(call, write, { guildId, userId, nick, roleIds: roles.map(({ id }) => id) });
      const changes = { nick, roles: auditRoles(roles) };
      await write.audit({ action: 'MEMBER_ADD', guildId, targetId: userId, changes });
      return member;
    },
    { streams: [topics.guild(guildId), topics.user(userId)] },
  );
}
