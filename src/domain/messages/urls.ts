import { fault, textUpTo } from '../input.js';

/**
 * An address of one of `schemes`, with the reference platform's words for what is none.
 * @param max the most characters it may have
 */
export function urlOf(schemes: readonly string[], max = 2_048) {
  return textUpTo(max)
    .refine((url) => schemes.includes(schemeOf(url)), {
      error: ({ input }) =>
        `Scheme "${schemeOf(String(input)).slice(0, 40)}" is not supported. Scheme must be one of (${schemes.map((scheme) => `'${scheme}'`).join(', ')}).`,
      params: { code: 'URL_TYPE_INVALID_SCHEME' },
      abort: true,
    })
    .refine((url) => URL.canParse(url) && !/\s/.test(url), fault('URL_TYPE_INVALID_URL', 'Not a well formed URL.'));
}

/** The address of a picture or another file: anywhere, or among the message's own files. */
export const mediaUrl = urlOf(['http', 'https', 'attachment']);

/** The name of the message's own file that an address means, or undefined for any other address. */
export function attachmentNameIn(url: string): string | undefined {
  const prefix = 'attachment://';
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined;
}

/** What stands before the first colon, or all of a text without one. */
function schemeOf(url: string): string {
  return (url.split(':', 1)[0] ?? '').toLowerCase();
}
