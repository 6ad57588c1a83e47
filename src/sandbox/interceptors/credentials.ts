import { parseSnowflake } from '../../infra/ids/ids.js';

/** The application of a bot token, without checking it. Null for other text. */
export function applicationOfToken(token: string): bigint | null {
  const [first = ''] = token.replace(/^Bot\s+/i, '').split('.');
  const id = Buffer.from(first, 'base64url').toString('latin1');
  return parseSnowflake(id) ?? null;
}

/** Tokens in paths and addresses, and in fields of bodies. */
const TOKEN_IN_PATH = /(\/(?:webhooks|interactions)\/\d+\/)[^\s/?#"'<>)]+/g;
const SECRET_FIELDS = new Set(['token', 'client_secret', 'access_token', 'refresh_token']);

/** @param text a path, or a text with addresses */
export function withoutToken(text: string): string {
  return text.replace(TOKEN_IN_PATH, '$1…');
}

/** A copy of parsed JSON without tokens. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'string') return withoutToken(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_FIELDS.has(name) && typeof member === 'string' ? '…' : withoutSecrets(member),
    ]),
  );
}
