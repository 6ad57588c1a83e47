import type { Prisma, User, Webhook } from '../../infra/database/index.js';

export type WebhookRecord = Webhook & { creator: User };

export const WITH_CREATOR = { creator: true } as const satisfies Prisma.WebhookInclude;

export const LIVE = { deletedAt: null } as const satisfies Prisma.WebhookWhereInput;
