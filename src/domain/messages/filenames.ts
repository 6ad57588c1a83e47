import { limits } from '../limits.js';

/** The most characters of a file's name; of a longer one the end is kept, which tells the kind of file. */
const MAX_FILENAME = 100;

/** How a name marks a file as a spoiler (Discord's change log, 24 June 2026). */
const SPOILER_PREFIX = 'SPOILER_';

/** Whether a file of this name is a spoiler, unless its sender says otherwise. */
export function isSpoilerName(filename: string): boolean {
  return filename.startsWith(SPOILER_PREFIX);
}

/**
 * What a file is called beside its filename: the name that its sender gave it, without the extension. Null where the filename is that
 * name.
 */
export function titleOf(name: string): string | null {
  if (safeFilename(name) === name) return null;
  const readable = name.toWellFormed().replace(/\p{Cc}+/gu, '');
  const stem = readable.replace(/(?<=.)\.[^./\s]{1,10}$/u, '').trim();
  return [...stem].slice(0, limits.attachmentTitle).join('') || null;
}

/** A name that is one safe path segment, as the reference platform shows it: other characters become underscores. */
export function safeFilename(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '');
  return [...safe].slice(-MAX_FILENAME).join('').replace(/^\.+/, '') || 'unknown';
}
