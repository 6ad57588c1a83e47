import { z } from 'zod';
import type { Invite, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser } from '../call.js';
import { findGuildChannel } from '../channels/find.js';
import { DomainError } from '../errors.js';
import { accessGuildChannel } from '../guilds/access.js';
import { limits } from '../limits.js';
import { randomInviteCode } from './code.js';
import { maxAgeOf, stillWorking } from './find.js';
import { type InviteRecord, WITH_PLACE } from './record.js';

/** One day, in seconds, as on the reference platform. */
const DEFAULT_AGE = 86_400;

/**
 * `maxAge` is in seconds: 0 for unlimited, one day if omitted. `maxUses`: 0 or omitted for unlimited. A `temporary`
 * membership ends when the member disconnects without a role.
 */
export const NewInvite = z.object({
  maxAge: z.number().int().min(0).max(limits.inviteAge).nullish(),
  maxUses: z.number().int().min(0).max(limits.inviteUses).nullish(),
  temporary: z.boolean().nullish(),
});

export interface NewInviteInput extends z.output<typeof NewInvite> {
  /** Whether to return an unused, equivalent invite of the caller if there is one. */
  reusing?: boolean;
}

/**
 * Needs CreateInstantInvite in the channel.
 * @throws LIMIT_EXCEEDED, UNKNOWN_CHANNEL if the channel is deleted in the meantime, and the errors of
 * `accessGuildChannel`
 */
export async function createInvite(
  call: CallContext,
  channelId: bigint,
  { reusing = false, ...input }: NewInviteInput = {},
): Promise<InviteRecord> {
  const { user } = requireUser(call);
  const maxAge = input.maxAge ?? DEFAULT_AGE;
  const maxUses = input.maxUses ?? 0;
  const temporary = input.temporary ?? false;
  const { guildId } = await accessGuildChannel(call, channelId, 'createInvite');
  const now = call.clock.now();
  const createdAt = new Date(now);
  const expiresAt = maxAge === 0 ? null : new Date(now + maxAge * 1000);
  return call.write(
    async ({ db, record, audit }) => {
      const alike =
        reusing && (await findAlike(db, { channelId, inviterId: user.id, maxUses, temporary }, maxAge, now));
      if (alike) return alike;
      await findGuildChannel(db, { guildId, channelId });
      await removeOldestBeyondLimit(db, guildId, createdAt);
      const code = randomInviteCode();
      const invite = await db.invite.create({
        data: { code, guildId, channelId, inviterId: user.id, createdAt, expiresAt, maxUses, temporary },
        include: WITH_PLACE,
      });
      await audit({
        action: 'INVITE_CREATE',
        guildId,
        targetId: channelId,
        changes: { code, maxAge, maxUses, temporary },
      });
      record({ type: 'INVITE_CREATE', invite });
      return invite;
    },
    { streams: [topics.guild(guildId)] },
  );
}

/** Compares only this many of the newest unused invites. */
const COMPARED = 50;

async function findAlike(
  db: Transaction,
  facts: Pick<Invite, 'channelId' | 'inviterId' | 'maxUses' | 'temporary'>,
  maxAge: number,
  now: number,
): Promise<InviteRecord | undefined> {
  const unused = await db.invite.findMany({
    where: { ...facts, uses: 0, ...stillWorking(now) },
    include: WITH_PLACE,
    orderBy: { createdAt: 'desc' },
    take: COMPARED,
  });
  return unused.find((invite) => maxAgeOf(invite) === maxAge);
}

/** Removes the guild's expired invites. @throws LIMIT_EXCEEDED */
async function removeOldestBeyondLimit(db: Transaction, guildId: bigint, now: Date): Promise<void> {
  await db.invite.deleteMany({ where: { guildId, expiresAt: { lte: now } } });
  if ((await db.invite.count({ where: { guildId } })) >= limits.invitesPerGuild) {
    throw new DomainError('LIMIT_EXCEEDED', `Maximum number of invites reached (${limits.invitesPerGuild})`);
  }
}
