import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { WITH_USER } from './record.js';

/** Needs BanMembers. @throws UNKNOWN_BAN and the errors of `accessGuild` */
export async function unbanMember(
  call: CallContext,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<void> {
  await accessGuild(call, guildId, 'unbanMember');
  await call.write(
    async ({ db, record, audit }) => {
      const ban = await db.ban.findFirst({ where: { guildId, userId }, include: WITH_USER });
      if (!ban) throw new DomainError('UNKNOWN_BAN');
      await db.ban.delete({ where: { guildId_userId: { guildId, userId } }, select: { userId: true } });
      await audit({ action: 'MEMBER_BAN_REMOVE', guildId, targetId: userId });
      record({ type: 'GUILD_BAN_REMOVE', guildId, user: ban.user });
    },
    { streams: [topics.guild(guildId)] },
  );
}
