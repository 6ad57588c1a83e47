import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { addBot } from '../installations/guild-install.js';
import { removeFromGuild } from '../installations/uninstall.js';
import { tellNewcomer } from '../presences/tell.js';
import { findCopy } from './copies.js';

export interface BoxInstall {
  guildId: bigint;
  /** Of the application, and its managed role. */
  name: string;
  permissions: bigint;
}

/**
 * Makes the calling bot a member of one of the box's guilds, with a managed role of these permissions; one that is a member already gets the
 * role's permissions anew. Whether somebody may have that done was decided in the cloud, where the installation is.
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, BANNED, LIMIT_EXCEEDED
 */
export async function installOnBox(call: CallContext, { guildId, name, permissions }: BoxInstall): Promise<void> {
  const { user } = requireUser(call);
  const application = { id: user.id, name };
  await call.write(
    async (write) => {
      const where = { id: guildId, deletedAt: null };
      if (!(await write.db.guild.findUnique({ where, select: { id: true } }))) throw new DomainError('UNKNOWN_GUILD');
      await addBot(call, write, { application, guildId, permissions });
    },
    { serializable: true },
  );
  await tellNewcomer(call, guildId, user.id);
}

/** Ends the membership of one of the cloud's bots in one of the box's guilds, and removes its managed role. What is not there is no error. */
export async function removeFromBox(
  call: CallContext,
  { guildId, botId }: { guildId: bigint; botId: bigint },
): Promise<void> {
  await call.write(
    async (write) => {
      if (await findCopy(write.db, botId)) await removeFromGuild(call, write, botId, guildId);
    },
    { serializable: true },
  );
}
