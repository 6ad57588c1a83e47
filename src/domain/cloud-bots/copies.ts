import { isUniqueConflict } from '../../infra/database/faults.js';
import type { Reader, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { renameMemberships } from '../members/name-keys.js';
import { PLATFORM_ID } from '../platform/platform.js';
import { showUserAnew } from '../users/shown.js';

export type BotProfile = Pick<User, 'id' | 'username' | 'globalName' | 'avatarHash'>;

/**
 * Creates or updates the box's user for the bot.
 * @throws FORBIDDEN if the id is a person's, a bot's of this box, or the platform's
 */
export async function copyOfBot(call: CallContext, profile: BotProfile): Promise<User> {
  const { id } = profile;
  const copy = await findCopy(call.read, id);
  if (copy) return isAlike(copy, profile) ? copy : renewCopy(call, profile);
  const isTaken = id === PLATFORM_ID || (await call.read.user.findUnique({ where: { id }, select: { id: true } }));
  if (isTaken) throw new DomainError('FORBIDDEN', 'This user is not a bot of the cloud instance.');
  return makeCopy(call, profile);
}

/** On a box, a cloud bot has no application. */
export async function findCopy({ user }: Pick<Reader, 'user'>, id: bigint): Promise<User | null> {
  if (id === PLATFORM_ID) return null;
  return user.findFirst({ where: { id, bot: true, application: null } });
}

/** Of concurrent calls, exactly one creates it. */
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
    { streams: [topics.user(id)] },
  );
}

function isAlike(one: BotProfile, other: BotProfile): boolean {
  return one.username === other.username && one.globalName === other.globalName && one.avatarHash === other.avatarHash;
}
