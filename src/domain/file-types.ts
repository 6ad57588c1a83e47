import { fault, listUpTo, maybe, plainText } from './input.js';
import { limits } from './limits.js';

/** Discord's documentation, File Type Filtering. */
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['image', ['.png', '.gif', '.jpg', '.jpeg', '.jfif', '.webp', '.avif']],
  ['video', ['.mp4', '.mov', '.qt', '.webm']],
  ['audio', ['.mp3', '.m4a', '.wav', '.ogg', '.opus', '.flac']],
]);

const FILE_TYPE = /^(image|video|audio|\.[a-z0-9][a-z0-9._+-]{0,31})$/;

/** File groups, or extensions with their dot. The result is in lower case. */
export function fileTypes() {
  const rule = fault('STRING_TYPE_REGEX', 'Must be image, video, audio or a file extension that starts with a dot.');
  const type = plainText()
    .transform((text) => text.toLowerCase())
    .refine((text) => FILE_TYPE.test(text), rule);
  return maybe(listUpTo(limits.fileTypesPerOption, type).transform((types) => [...new Set(types)]));
}

/**
 * Checks the end of the name, not the content.
 * @param types from {@link fileTypes}; if missing or empty, every file matches
 */
export function isOfType(filename: string, types: readonly string[] = []): boolean {
  const name = filename.toLowerCase();
  const extensions = types.flatMap((type) => GROUPS.get(type) ?? [type]);
  return types.length === 0 || extensions.some((extension) => name.endsWith(extension));
}
