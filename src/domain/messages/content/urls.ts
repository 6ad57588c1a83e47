import { z } from 'zod';
import { fault, textUpTo } from '../../input.js';
import { safeFilename } from '../files/filenames.js';

/** Uses Discord's error messages. @param max in characters */
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

/** `attachment://` refers to a file of the message. */
export const mediaUrl = urlOf(['http', 'https', 'attachment']);

/** Matches the CDN URL of a message's file. */
const SHOWN_ADDRESS = /^https?:\/\/[^/]+\/cdn\/attachments\/\d+\/\d+\/([^/?#]+)(?:\?|$)/;

/** Turns a file's CDN URL into `attachment://name`. */
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
 * Accepts a file's original or stored name, without URL decoding.
 * @returns undefined unless the scheme is `attachment`
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

function schemeOf(url: string): string {
  return (url.split(':', 1)[0] ?? '').toLowerCase();
}
