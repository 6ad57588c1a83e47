import { z } from 'zod';
import type { Invite, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuildChannel } from '../guilds/access.js';
import { limits } from '../limits.js';
import { randomInviteCode } from './code.js';

/** As on the reference platform: a day. */
const DEFAULT_AGE = 86_400;

/**
 * An invite in a caller's input: `maxAge` is how long it works, in seconds (0 for ever, a day when not given), `maxUses` how
 * many people can join by it (0, or not given, for any number).
 */
export const NewInvite = z.object({
  maxAge: z.number().int().min(0).max(limits.inviteAge).nullish(),
  maxUses: z.number().int().min(0).max(limits.inviteUses).nullish(),
});

/**
 * Makes an invite to the guild of a channel. Needs CreateInstantInvite there.
 * @throws LIMIT_EXCEEDED and what `accessGuildChannel` throws
 */
export async function createInvite(
  call: CallContext,
  channelId: bigint,
  input: z.output<typeof NewInvite> = {},
): Promise<Invite> {
  const { user } = requireUser(call);
  const maxAge = input.maxAge ?? DEFAULT_AGE;
  const maxUses = input.maxUses ?? 0;
  const { guildId } = await accessGuildChannel(call, channelId, 'createInvite');
  const now = call.clock.now();
  const createdAt = new Date(now);
  const expiresAt = maxAge === 0 ? null : new Date(now + maxAge * 1000);
  return call.write(
    async ({ db, record, audit }) => {
      await makeRoom(db, guildId, createdAt);
      const code = randomInviteCode();
      const invite = await db.invite.create({
        data: { code, guildId, channelId, inviterId: user.id, createdAt, expiresAt, maxUses },
        include: { inviter: true },
      });
      await audit({ action: 'INVITE_CREATE', guildId, targetId: channelId, changes: { code, maxAge, maxUses } });
      record({ type: 'INVITE_CREATE', invite });
      return invite;
    },
    { serializable: true },
  );
}

/** Removes the guild's invites that are over. @throws LIMIT_EXCEEDED when as many are left as there may be */
async function makeRoom(db: Transaction, guildId: bigint, now: Date): Promise<void> {
  await db.invite.deleteMany({ where: { guildId, expiresAt: { lte: now } } });
  if ((await db.invite.count({ where: { guildId } })) >= limits.invitesPerGuild) {
    throw new DomainError('LIMIT_EXCEEDED', `Maximum number of invites reached (${limits.invitesPerGuild})`);
  }
}
