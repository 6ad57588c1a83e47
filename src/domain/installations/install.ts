import { isUniqueConflict } from '../../infra/database/faults.js';
import type { Installation } from '../../infra/database/index.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { tellNewcomer } from '../presences/tell.js';
import { findInstallable, requireStillThere } from './access.js';
import { planBoxInstall } from './box-install.js';
import { planGuildInstall } from './guild-install.js';
import type { ServerInstall } from './input.js';
import { planUserInstall } from './user-install.js';

interface InstallInput extends ServerInstall {
  applicationId: bigint;
  /** The guild to install to; without one the application is installed to the caller. */
  guildId?: bigint | undefined;
}

/**
 * Installs an application to a guild or to the caller. Installing again adds scopes.
 *
 * In a guild, the scope `bot` makes the bot a member, with a managed role that carries the granted permissions, which are set
 * anew each time: those of the wanted ones that the caller has there, or the bot already. The caller needs ManageGuild. An
 * installation to the caller has no bot and no permissions. To a guild on a box, its owner alone installs ({@link planBoxInstall}).
 * @throws UNKNOWN_APPLICATION, FORBIDDEN when the application does not install there, LIMIT_EXCEEDED, and what
 *   `accessGuild` and `planBoxInstall` throw
 */
export async function installApplication(call: CallContext, input: InstallInput): Promise<Installation> {
  return writeInstall(call, input, await planInstall(call, input));
}

/** Checks an installation, of which a box learns at once, and which the returned step then writes. @throws what {@link installApplication} throws */
export async function planInstall(
  call: CallContext,
  input: InstallInput,
): Promise<(write: Write) => Promise<Installation>> {
  const { user } = requirePerson(call);
  const application = await findInstallable(call, input.applicationId);
  const { guildId } = input;
  if (guildId === undefined) return planUserInstall(call, application, user, input.scopes);
  const plan = (await call.boxRoutes.ofGuild(guildId)) ? planBoxInstall : planGuildInstall;
  return plan(call, application, user, guildId, input);
}

/**
 * Runs a transaction that a planned installation is part of, or that gives the application something else; a bot that joins a guild by it is
 * there with it.
 * @throws UNKNOWN_APPLICATION for one that was deleted meanwhile
 */
export async function writeInstall<T>(
  call: CallContext,
  { applicationId, guildId }: Pick<InstallInput, 'applicationId' | 'guildId'>,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const written = await writeBesideOthers(call, applicationId, work);
  if (guildId !== undefined) await tellNewcomer(call, guildId, applicationId);
  return written;
}

async function writeBesideOthers<T>(
  call: CallContext,
  applicationId: bigint,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const checked = async (write: Write) => {
    await requireStillThere(write.db, applicationId);
    return work(write);
  };
  const attempt = () => call.write(checked, { serializable: true });
  try {
    return await attempt();
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    // Somebody else installed it meanwhile; now there is something to add to.
    return attempt();
  }
}
