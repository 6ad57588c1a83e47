import { randomToken } from '../../infra/crypto/secrets.js';
import type { Webhook } from '../../infra/database/index.js';

/** In base64url the token has 68 characters, a length that libraries accept. */
const PREFIX_BYTES = 6;
const SECRET_BYTES = 42;

/** `WH.<prefix>.<random>` (service description, section 2). */
const FORM = /^WH\.([\w-]{8})\.[\w-]{56}$/;

export function makeWebhookToken(): string {
  return `WH.${randomToken(PREFIX_BYTES)}.${randomToken(SECRET_BYTES)}`;
}

export function tokenColumns(token: string): Pick<Webhook, 'tokenPrefix' | 'tokenLast4'> {
  return { tokenPrefix: prefixOf(token) ?? '', tokenLast4: token.slice(-4) };
}

export function prefixOf(token: string): string | null {
  return FORM.exec(token)?.[1] ?? null;
}

export function isWebhookToken(token: string): boolean {
  return FORM.test(token);
}

export function tokenHint({ tokenPrefix, tokenLast4 }: Pick<Webhook, 'tokenPrefix' | 'tokenLast4'>): string {
  return `WH.${tokenPrefix}…${tokenLast4}`;
}
