import type { Installation } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { findInstallable, requireStillThere } from './access.js';
import { planBoxInstall } from './box-install.js';
import { planGuildInstall } from './guild-install.js';
import type { ServerInstall } from './input.js';
import { streamsOfInstallation } from './uninstall.js';
import { planUserInstall } from './user-install.js';

interface InstallInput extends ServerInstall {
  applicationId: bigint;
  /** If undefined, installs to the caller. */
  guildId?: bigint | undefined;
}

/**
 * A repeated installation adds scopes. The scope `bot` makes the bot a member of the guild. For permissions, see
 * {@link planGuildInstall} and {@link planBoxInstall}.
 * @throws UNKNOWN_APPLICATION, FORBIDDEN if the application does not support this kind of installation, LIMIT_EXCEEDED,
 * and the errors of `accessGuild` and `planBoxInstall`
 */
export async function installApplication(call: CallContext, input: InstallInput): Promise<Installation> {
  return writeInstall(call, input, await planInstall(call, input));
}

/**
 * Returns the function that writes the installation. A box adds the bot first.
 * @throws the errors of {@link installApplication}
 */
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
 * Writes a planned installation or other grants.
 * @throws UNKNOWN_APPLICATION if the application was deleted in the meantime
 */
export function writeInstall<T>(
  call: CallContext,
  { applicationId, guildId }: Pick<InstallInput, 'applicationId' | 'guildId'>,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const streams =
    guildId === undefined
      ? [topics.application(applicationId), topics.user(requirePerson(call).user.id)]
      : streamsOfInstallation(applicationId, guildId);
  const checked = async (write: Write) => {
    await requireStillThere(write.db, applicationId);
    return work(write);
  };
  return call.write(checked, { streams });
}
