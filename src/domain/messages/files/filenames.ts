import { limits } from '../../limits.js';

/** In characters. A longer name keeps its end, which holds the extension. */
const MAX_FILENAME = 100;

/** See Discord's change log, 24 June 2026. */
const SPOILER_PREFIX = 'SPOILER_';

export function isSpoilerName(filename: string): boolean {
  return filename.startsWith(SPOILER_PREFIX);
}

/** The original name without its extension. Null if {@link safeFilename} does not change the name. */
export function titleOf(name: string): string | null {
  if (safeFilename(name) === name) return null;
  const readable = name.toWellFormed().replace(/\p{Cc}+/gu, '');
  const stem = readable.replace(/(?<=.)\.[^./\s]{1,10}$/u, '').trim();
  return [...stem].slice(0, limits.attachmentTitle).join('') || null;
}

/** Makes a name one safe path segment, as Discord does. */
export function safeFilename(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '');
  return [...safe].slice(-MAX_FILENAME).join('').replace(/^\.+/, '') || 'unknown';
}
