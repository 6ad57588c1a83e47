import type { Webhook } from '../../infra/database/index.js';
import { randomToken } from '../../infra/secrets.js';

/** Random bytes of the two parts of a token: the one it is told by, and the secret (decisions 6). */
const PREFIX_BYTES = 6;
const SECRET_BYTES = 42;

/** `WH.<prefix>.<random>` (service description, section 2): 68 characters, as long as the reference platform's. */
const FORM = /^WH\.([\w-]{8})\.[\w-]{56}$/;

export function makeWebhookToken(): string {
  return `WH.${randomToken(PREFIX_BYTES)}.${randomToken(SECRET_BYTES)}`;
}

/** What is kept of a token in plain, by which it can be told from others. */
export function tokenFacts(token: string): Pick<Webhook, 'tokenPrefix' | 'tokenLast4'> {
  return { tokenPrefix: prefixOf(token) ?? '', tokenLast4: token.slice(-4) };
}

/** The prefix of a token; null for text that is no webhook's token. */
export function prefixOf(token: string): string | null {
  return FORM.exec(token)?.[1] ?? null;
}

/** Whether text has the form of a webhook's token. */
export function isWebhookToken(token: string): boolean {
  return FORM.test(token);
}

/** What somebody may see of a token that is not theirs to see. */
export function tokenHint({ tokenPrefix, tokenLast4 }: Pick<Webhook, 'tokenPrefix' | 'tokenLast4'>): string {
  return `WH.${tokenPrefix}…${tokenLast4}`;
}
