import { DomainError } from '../errors.js';

/** The `v` flag knows emoji that are several code points long, which a class of single characters cannot. */
const UNICODE_EMOJI = /^\p{RGI_Emoji}$/v;

const VARIATION_SELECTOR = '\uFE0F';

/**
 * The key under which reactions with an emoji are kept: the emoji in its fully qualified form, so that `❤` and `❤️` are one.
 * @param text a unicode emoji; guild emojis (`name:id`) are not known to this platform yet
 * @throws UNKNOWN_EMOJI
 */
export function emojiKey(text: string): string {
  const qualified = qualifiedEmoji(text);
  if (qualified === undefined) throw new DomainError('UNKNOWN_EMOJI');
  return qualified;
}

/** A unicode emoji in its fully qualified form; undefined for any other text. */
export function qualifiedEmoji(text: string): string | undefined {
  const forms = [text, text + VARIATION_SELECTOR, text.replaceAll(VARIATION_SELECTOR, '')];
  return forms.find((form) => UNICODE_EMOJI.test(form));
}
