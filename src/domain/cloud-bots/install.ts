import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { addBot } from '../installations/guild-install.js';
import { removeFromGuild, streamsOfInstallation } from '../installations/uninstall.js';
import { findCopy } from './copies.js';

export interface BoxInstall {
  guildId: bigint;
  /** Name of the application and its managed role. */
  name: string;
  permissions: bigint;
}

/**
 * Updates the managed role if the bot is already a member. The cloud has authorized the installation.
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
    { streams: streamsOfInstallation(user.id, guildId) },
  );
}

export async function removeFromBox(
  call: CallContext,
  { guildId, botId }: { guildId: bigint; botId: bigint },
): Promise<void> {
  await call.write(
    async (write) => {
      if (await findCopy(write.db, botId)) await removeFromGuild(call, write, botId, guildId);
    },
    { streams: streamsOfInstallation(botId, guildId) },
  );
}
