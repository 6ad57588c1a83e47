import { parseSnowflake } from '../../infra/ids.js';
import { DomainError } from '../errors.js';

/** The `v` flag knows emoji that are several code points long, which a class of single characters cannot. */
const UNICODE_EMOJI = /^\p{RGI_Emoji}$/v;

const VARIATION_SELECTOR = '\uFE0F';

/** An emoji as somebody names it: a unicode one by the key of its reactions, or one of a guild's or an application's by its id. */
export type NamedEmoji = { key: string } | { id: bigint };

/**
 * Reads the name of an emoji. The key of a unicode one is what was named: `❤` and `❤️` are two, as on the reference platform, since
 * libraries keep a reaction under the name that they sent (decisions 230).
 * @param text a unicode emoji, or `name:id`, of which the id counts
 * @throws UNKNOWN_EMOJI
 */
export function namedEmoji(text: string): NamedEmoji {
  const id = parseSnowflake(/^(?:a:)?\w{1,32}:(\d{1,20})$/.exec(text)?.[1] ?? '');
  if (id !== undefined) return { id };
  if (!isUnicodeEmoji(text)) throw new DomainError('UNKNOWN_EMOJI');
  return { key: text };
}

/** The key of reactions with an emoji that is no unicode one: `name:id`, or `a:name:id` for one that moves. */
export function customKey({ id, name, animated }: { id: bigint; name: string; animated: boolean }): string {
  return `${animated ? 'a:' : ''}${name}:${id}`;
}

/** Whether a text is one unicode emoji, with or without the selector that has a sign shown as one. */
export function isUnicodeEmoji(text: string): boolean {
  return UNICODE_EMOJI.test(text) || UNICODE_EMOJI.test(text + VARIATION_SELECTOR);
}
