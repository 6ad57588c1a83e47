import type { Channel, Guild, Invite, Prisma, User } from '../../infra/database/index.js';

export type InviteRecord = Invite & { inviter: User; guild: Guild; channel: Pick<Channel, 'id' | 'type' | 'name'> };

export const WITH_PLACE = {
  inviter: true,
  guild: true,
  channel: { select: { id: true, type: true, name: true } },
} as const satisfies Prisma.InviteInclude;
