import type { Invite } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { accessChannel } from '../guilds/access.js';
import { Permission } from '../permissions.js';
import { randomInviteCode } from './code.js';

/**
 * Makes an invite to the guild of a channel. Needs CreateInstantInvite there. It does not expire.
 * @throws what `accessChannel` throws
 */
export async function createInvite(call: CallContext, channelId: bigint): Promise<Invite> {
  const { user } = requireUser(call);
  const { guildId } = await accessChannel(call, channelId, Permission.CreateInstantInvite);
  return call.write(async ({ db, record, audit }) => {
    const code = randomInviteCode();
    const invite = await db.invite.create({
      data: { code, guildId, channelId, inviterId: user.id, createdAt: new Date(call.clock.now()) },
      include: { inviter: true },
    });
    await audit({ action: 'INVITE_CREATE', guildId, targetId: channelId, changes: { code } });
    record({ type: 'INVITE_CREATE', invite });
    return invite;
  });
}
