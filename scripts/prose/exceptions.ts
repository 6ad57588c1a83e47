import type { Text } from './texts.js';

/** Text that has not been rewritten yet, by path and kind. */
export const UNCHECKED: readonly { path: string; kinds: readonly Text['kind'][] }[] = [
  { path: 'bench', kinds: ['string'] },
  { path: 'examples', kinds: ['string'] },
  { path: 'portal', kinds: ['string'] },
  { path: 'scripts', kinds: ['string'] },
  { path: 'src', kinds: ['string'] },
];

/** Paragraphs that contain `text` are not checked. */
export const EXCEPTIONS: readonly { file: string; text: string; reason: string }[] = [];
