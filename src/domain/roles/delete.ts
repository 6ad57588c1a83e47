import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import type { Role } from '../../infra/database/index.js';
import { nextRound } from '../../infra/turns.js';
import type { CallContext, Write } from '../call.js';
import { withLastMessages } from '../channels/find.js';
import { WITH_OVERWRITES } from '../channels/record.js';
import { removeFromLists } from '../command-permissions/remove.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { auditedRole } from './create.js';
import { findRole } from './find.js';
import { highestPosition } from './rank.js';

/**
 * Removes a role below the caller's highest from its guild: its members lose it, and nothing is said of it any more, in channels or in
 * lists of who may run commands. Needs ManageRoles.
 * @throws UNKNOWN_ROLE, INVALID_ROLE for `@everyone` and what belongs to an installation, MISSING_PERMISSIONS and what `accessGuild` throws
 */
export async function deleteRole(call: CallContext, input: { guildId: bigint; roleId: bigint }): Promise<void> {
  const { guildId, roleId } = input;
  const { view } = await accessGuild(call, guildId, 'deleteRole');
  await call.write(
    async (write) => {
      const role = await findRole(write.db, guildId, roleId);
      if (roleId === guildId || role.managed) throw new DomainError('INVALID_ROLE');
      if (role.position >= (await highestPosition(call, write.db, view))) throw missingPermissions();
      await takeFromAll(write, roleId);
      await write.db.role.delete({ where: { id: roleId }, select: { id: true } });
      await write.audit({ action: 'ROLE_DELETE', guildId, targetId: roleId, changes: auditedRole(role) });
      write.record({ type: 'GUILD_ROLE_DELETE', guildId, roleId });
      await removeOverwrites(write, role);
      await removeFromLists(write, guildId, { targetType: Target.Role, targetId: roleId });
    },
    { serializable: true },
  );
}

/** Members from whom a role is taken before others have a turn. */
const MEMBERS_PER_ROUND = 400;

/** Takes a role from everybody. A statement's work does not grow with the guild. */
async function takeFromAll({ db }: Write, roleId: bigint): Promise<void> {
  for (;;) {
    const held = await db.memberRole.findMany({ where: { roleId }, select: { userId: true }, take: MEMBERS_PER_ROUND });
    if (held.length === 0) return;
    await db.memberRole.deleteMany({ where: { roleId, userId: { in: held.map(({ userId }) => userId) } } });
    if (held.length < MEMBERS_PER_ROUND) return;
    await nextRound();
  }
}

/** What channels say of a role goes with it. */
async function removeOverwrites({ db, record }: Write, { id: targetId, guildId }: Role): Promise<void> {
  const overwrites = await db.channelOverwrite.findMany({
    where: { targetId, channel: { guildId } },
    select: { channelId: true },
  });
  if (overwrites.length === 0) return;
  const channelIds = overwrites.map(({ channelId }) => channelId);
  await db.channelOverwrite.deleteMany({ where: { targetId, channelId: { in: channelIds } } });
  const channels = await db.channel.findMany({
    where: { id: { in: channelIds } },
    include: WITH_OVERWRITES,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  const details = await withLastMessages(
    db,
    channels.map((channel) => ({ ...channel, guildId })),
  );
  for (const channel of details) record({ type: 'CHANNEL_UPDATE', ...channel });
}
