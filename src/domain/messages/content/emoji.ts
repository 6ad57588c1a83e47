import { parseSnowflake } from '../../../infra/ids/ids.js';
import { DomainError } from '../../errors.js';

/** The `v` flag matches emoji of several code points. */
const UNICODE_EMOJI = /^\p{RGI_Emoji}$/v;

/** Unicode recommends only pairs. Discord also has single ones, such as `:regional_indicator_a:`. */
const REGIONAL_INDICATOR = /^\p{Regional_Indicator}$/u;

/** The variation selector that requests emoji display. */
const SELECTOR = '\uFE0F';

const MISPLACED_SELECTOR = /(?<!\p{Emoji})\uFE0F/u;

/** A character shown as text unless the selector or a skin tone follows. */
const TEXT_BY_DEFAULT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;

/** A unicode emoji by its possible reaction keys, preferred first, or a custom emoji by id. */
export type NamedEmoji = { keys: [string, ...string[]] } | { id: bigint };

/**
 * Spellings with and without variation selectors are one emoji. The sent spelling is preferred, since libraries store a
 * new reaction under it.
 * @param text a unicode emoji, or `name:id`, of which only the id counts
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

export function customKey({ id, name, animated }: { id: bigint; name: string; animated: boolean }): string {
  return `${animated ? 'a:' : ''}${name}:${id}`;
}

/** Accepts an emoji with or without variation selectors. */
export function isUnicodeEmoji(text: string): boolean {
  if (MISPLACED_SELECTOR.test(text)) return false;
  const [qualified] = spellingsOf(text);
  return UNICODE_EMOJI.test(qualified) || REGIONAL_INDICATOR.test(qualified);
}

function spellingsOf(text: string): [string, ...string[]] {
  const bare = text.replaceAll(SELECTOR, '');
  const qualified = bare.replace(TEXT_BY_DEFAULT, `$&${SELECTOR}`);
  return qualified === bare ? [bare] : [qualified, bare];
}
