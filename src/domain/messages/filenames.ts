/** The most characters of a file's name; of a longer one the end is kept, which tells the kind of file. */
const MAX_FILENAME = 100;

/** A name that is one safe path segment, as the reference platform shows it: other characters become underscores. */
export function safeFilename(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '');
  return [...safe].slice(-MAX_FILENAME).join('').replace(/^\.+/, '') || 'unknown';
}
