import type { Attachment, Reader } from '../infra/database/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';

export type FileMetadata = Omit<Attachment, 'messageId' | 'description' | 'accountId' | 'folderId'>;

/** Files that each belong to a row. */
export interface KeptFiles {
  folder: string;
  knowsAny(read: Reader): Promise<boolean>;
  /** Returns the keys that belong to a row or are not of this kind. @param keys at most 400 */
  withRow(read: Reader, keys: string[]): Promise<string[]>;
}

/** Returns -1, which no row has, if the text is not an id. */
export function idIn(part: string | undefined): bigint {
  return parseSnowflake(part ?? '') ?? -1n;
}
