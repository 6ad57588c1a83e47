import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import type { MemberRecord } from '../events.js';
import { accessGuild } from '../guilds/access.js';
import { findTokenActor } from '../oauth/index.js';
import { Permission } from '../permissions.js';

export interface AddMemberInput {
  guildId: bigint;
  userId: bigint;
  /** An access token of that user with the scope `guilds.join`, granted to the calling bot's application. */
  accessToken: string;
}

/**
 * Makes somebody a member who granted `guilds.join` (Discord's documentation, OAuth2). The bot needs CreateInstantInvite.
 * @returns the new member, or null for somebody who is one already
 * @throws ACCESS_TOKEN_REFUSED, MISSING_SCOPE, and what `accessGuild` throws
 */
export async function addMember(call: CallContext, input: AddMemberInput): Promise<MemberRecord | null> {
  const caller = requireUser(call);
  const { guildId, userId } = input;
  await accessGuild(call, guildId, Permission.CreateInstantInvite);
  const token = await findTokenActor(call.read, call.clock.now(), input.accessToken);
  if (!token || token.user.id !== userId || caller.kind !== 'bot' || token.applicationId !== caller.applicationId) {
    throw new DomainError('ACCESS_TOKEN_REFUSED', 'Invalid OAuth2 access token provided');
  }
  if (!token.scopes.includes('guilds.join')) {
    throw new DomainError('MISSING_SCOPE', 'Missing required OAuth2 scope');
  }
  if (await call.guilds.member(guildId, userId)) return null;
  try {
    return await insertMember(call, guildId, userId);
  } catch (error) {
    if (isUniqueConflict(error)) return null;
    throw isMissingReference(error) ? new DomainError('UNKNOWN_GUILD', 'Unknown Guild') : error;
  }
}

function insertMember(call: CallContext, guildId: bigint, userId: bigint): Promise<MemberRecord> {
  return call.write(async ({ db, record, audit }) => {
    const member = await db.member.create({
      data: { guildId, userId, joinedAt: new Date(call.clock.now()) },
      include: { user: true, roles: { select: { roleId: true } } },
    });
    await audit({ action: 'MEMBER_ADD', guildId, targetId: userId });
    record({ type: 'GUILD_MEMBER_ADD', member });
    return member;
  });
}
