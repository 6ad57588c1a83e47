import { parseSnowflake } from '../../infra/ids.js';
import { DomainError } from '../errors.js';

/** The `v` flag knows emoji that are several code points long, which a class of single characters cannot. */
const UNICODE_EMOJI = /^\p{RGI_Emoji}$/v;

/** The letters that flags are made of. Unicode recommends them in pairs only; the reference platform has each as `:regional_indicator_a:`. */
const REGIONAL_INDICATOR = /^\p{Regional_Indicator}$/u;

/** Has the character before it shown as an emoji. */
const SELECTOR = '\uFE0F';

const MISPLACED_SELECTOR = /(?<!\p{Emoji})\uFE0F/u;

/** A character that is shown as text unless the selector or a skin tone follows. */
const TEXT_BY_DEFAULT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;

/**
 * An emoji as somebody names it: a unicode one by the keys that its reactions can have, the preferred one first, or one of a
 * guild's or an application's by its id.
 */
export type NamedEmoji = { keys: [string, ...string[]] } | { id: bigint };

/**
 * Reads the name of an emoji. `❤` and `❤️` are one emoji, whose first reaction gets the name that was sent, since libraries keep a
 * reaction under that (decisions 230).
 * @param text a unicode emoji, or `name:id`, of which the id counts
 * @throws UNKNOWN_EMOJI
 */
export function namedEmoji(text: string): NamedEmoji {
  const id = parseSnowflake(/^(?:a:)?\w{1,32}:(\d{1,20})$/.exec(text)?.[1] ?? '');
  if (id !== undefined) return { id };
  if (!isUnicodeEmoji(text)) throw new DomainError('UNKNOWN_EMOJI');
  const spellings = spellingsOf(text);
  const preferred = spellings.includes(text) ? text : spellings[0];
  return { keys: [preferred, ...spellings.filter((spelling) => spelling !== preferred)] };
}

/** The key of reactions with an emoji that is no unicode one: `name:id`, or `a:name:id` for one that moves. */
export function customKey({ id, name, animated }: { id: bigint; name: string; animated: boolean }): string {
  return `${animated ? 'a:' : ''}${name}:${id}`;
}

/** Whether a text is one unicode emoji, with or without the selectors that have its characters shown as one. */
export function isUnicodeEmoji(text: string): boolean {
  if (MISPLACED_SELECTOR.test(text)) return false;
  const [qualified] = spellingsOf(text);
  return UNICODE_EMOJI.test(qualified) || REGIONAL_INDICATOR.test(qualified);
}

/** An emoji with every selector that Unicode recommends, and, where that has any, without. */
function spellingsOf(text: string): [string, ...string[]] {
  const bare = text.replaceAll(SELECTOR, '');
  const qualified = bare.replace(TEXT_BY_DEFAULT, `$&${SELECTOR}`);
  return qualified === bare ? [bare] : [qualified, bare];
}
