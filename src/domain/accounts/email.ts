import { z } from 'zod';
import type { Reader, Transaction } from '../../infra/database/index.js';
import { fault, plainText } from '../input.js';

/** Accounts store it in lower case. */
export const EmailAddress = plainText().pipe(
  z
    .string()
    .trim()
    .toLowerCase()
    .max(254)
    .refine(
      (email) => z.email().safeParse(email).success,
      fault('EMAIL_TYPE_INVALID_EMAIL', 'Must be a valid email address.'),
    ),
);

/** Includes unverified addresses. Null if the user has no account. */
export async function emailOf(db: Reader | Transaction, userId: bigint): Promise<string | null> {
  const account = await db.authUser.findUnique({ where: { userId }, select: { email: true } });
  return account?.email ?? null;
}
