import type { Channel, Guild, Invite, Prisma, User } from '../../infra/database/index.js';

/** An invite with where it leads to, and who made it. */
export type InviteRecord = Invite & { inviter: User; guild: Guild; channel: Pick<Channel, 'id' | 'type' | 'name'> };

/** What is read along with an invite for an {@link InviteRecord}. */
export const WITH_PLACE = {
  inviter: true,
  guild: true,
  channel: { select: { id: true, type: true, name: true } },
} as const satisfies Prisma.InviteInclude;
