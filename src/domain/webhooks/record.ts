import type { Prisma, User, Webhook } from '../../infra/database/index.js';

/** A webhook with who made it. */
export type WebhookRecord = Webhook & { creator: User };

/** What is read along with a webhook for a {@link WebhookRecord}. */
export const WITH_CREATOR = { creator: true } as const satisfies Prisma.WebhookInclude;

/** Those that were not deleted. */
export const LIVE = { deletedAt: null } as const satisfies Prisma.WebhookWhereInput;
