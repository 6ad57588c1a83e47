import { isUniqueConflict } from '../../infra/database/faults.js';
import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { renameMemberships } from '../members/name-keys.js';
import { showUserAnew } from '../users/shown.js';

/** A bot as its cloud tells of it. */
export type BotProfile = Pick<User, 'id' | 'username' | 'globalName' | 'avatarHash'>;

/**
 * A box's copy of a bot's user, which is made where there is none, and renewed where the bot looks otherwise by now.
 * @throws FORBIDDEN where the id is one of the box's own people
 */
export async function copyOfBot(call: CallContext, profile: BotProfile): Promise<User> {
  const copy = await call.read.user.findUnique({ where: { id: profile.id } });
  if (!copy) return makeCopy(call, profile);
  if (!copy.bot) throw new DomainError('FORBIDDEN', 'This is no bot.');
  return isAlike(copy, profile) ? copy : renewCopy(call, profile);
}

/** Of several that make it at once, one does. */
async function makeCopy(call: CallContext, profile: BotProfile): Promise<User> {
  try {
    return await call.writeOne((db) => db.user.create({ data: { ...profile, bot: true } }));
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    return copyOfBot(call, profile);
  }
}

function renewCopy(call: CallContext, { id, ...looks }: BotProfile): Promise<User> {
  return call.write(
    async (write) => {
      const copy = await write.db.user.update({ where: { id }, data: looks });
      await renameMemberships(write.db, copy);
      await showUserAnew(call, write, copy);
      return copy;
    },
    { serializable: true },
  );
}

function isAlike(one: BotProfile, other: BotProfile): boolean {
  return one.username === other.username && one.globalName === other.globalName && one.avatarHash === other.avatarHash;
}
