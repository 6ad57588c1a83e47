import type { Role } from '../../infra/database/index.js';
import type { Write } from '../call.js';
import { emojisOf, rolesOf } from './record.js';

/** If no role is left, every member may use the emoji. */
export async function removeFromEmojis(
  { db, record }: Write,
  { id: roleId, guildId }: Pick<Role, 'id' | 'guildId'>,
): Promise<void> {
  const emojis = await emojisOf(db, guildId);
  const restricted = emojis.filter((emoji) => rolesOf(emoji).includes(roleId));
  if (restricted.length === 0) return;
  for (const emoji of restricted) {
    const roleIds = rolesOf(emoji).filter((other) => other !== roleId);
    await db.emoji.update({ where: { id: emoji.id }, data: { roleIds: roleIds.map(String) }, select: { id: true } });
  }
  record({ type: 'GUILD_EMOJIS_UPDATE', guildId, emojis: await emojisOf(db, guildId) });
}
