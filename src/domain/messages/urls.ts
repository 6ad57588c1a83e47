import { z } from 'zod';
import { fault, textUpTo } from '../input.js';
import { safeFilename } from './filenames.js';

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
    .refine(isWellFormed, fault('URL_TYPE_INVALID_URL', 'Not a well formed URL.'));
}

/** The address of a picture or another file: anywhere, or among the message's own files. */
export const mediaUrl = urlOf(['http', 'https', 'attachment']);

/** The address of a message's file, as the message was shown. */
const SHOWN_ADDRESS = /^https?:\/\/[^/]+\/cdn\/attachments\/\d+\/\d+\/([^/?#]+)(?:\?|$)/;

/** The address of one of the message's own files. The one it was shown under comes back as `attachment://name`. */
export const ownFileUrl = z
  .preprocess((url) => (typeof url === 'string' ? ownFileAt(url) : url), urlOf(['attachment']))
  .meta({ shownAs: urlOf(['attachment']) });

function ownFileAt(url: string): string {
  const [, name] = SHOWN_ADDRESS.exec(url) ?? [];
  try {
    return name === undefined ? url : `attachment://${decodeURIComponent(name)}`;
  } catch {
    return url;
  }
}

/**
 * The name of the message's own file that an address means, or undefined for any other address. A file is meant by the name it was sent
 * with as well as by the one it is shown with; nothing is decoded.
 */
export function attachmentNameIn(url: string): string | undefined {
  const name = ATTACHMENT.exec(url)?.[1];
  return name === undefined ? undefined : safeFilename(name);
}

const ATTACHMENT = /^attachment:\/\/(.+)$/is;

function isWellFormed(url: string): boolean {
  if (schemeOf(url) === 'attachment') return ATTACHMENT.test(url);
  return URL.canParse(url) && !/\s/.test(url);
}

/** What stands before the first colon, or all of a text without one. */
function schemeOf(url: string): string {
  return (url.split(':', 1)[0] ?? '').toLowerCase();
}
