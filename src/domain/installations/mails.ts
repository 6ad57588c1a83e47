import type { Application } from '../../infra/database/index.js';
import { emailOf } from '../accounts/email.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { PERMISSION_MAILS_PER_GUILD } from '../limits.js';
import { plainName } from '../mail-text.js';
import { permissionNames } from '../permissions.js';

/** Mails the guild's owner, unless the owner made the change or the guild's mail quota is used up. */
export async function mailLostPermissions(
  call: CallContext,
  { db, mail }: Write,
  { application, guildId }: { application: Application; guildId: bigint },
  lost: bigint,
): Promise<void> {
  if (lost === 0n) return;
  const { user } = requirePerson(call);
  const { ownerId, name } = await db.guild.findUniqueOrThrow({ where: { id: guildId } });
  if (ownerId === user.id) return;
  const to = await emailOf(db, ownerId);
  if (to === null || !(await call.limits.take(PERMISSION_MAILS_PER_GUILD, String(guildId))).allowed) return;
  const [bot, guild] = [plainName(application.name), plainName(name)];
  mail({
    to,
    subject: `${bot} lost permissions in ${guild}`,
    text: `${user.username} reinstalled "${bot}" in your server "${guild}" on Causeway.
Its bot no longer has these permissions:

${permissionNames(lost)
  .map((permission) => `- ${permission}`)
  .join('\n')}

To restore them, open the application's install link and choose your server.
`,
  });
}
