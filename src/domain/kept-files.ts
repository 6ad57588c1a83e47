import type { Attachment, Reader } from '../infra/database/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';

export type FileMetadata = Omit<Attachment, 'messageId' | 'description' | 'accountId'>;

/** Files of one kind, each of which belongs to a row. */
export interface KeptFiles {
  folder: string;
  knowsAny(read: Reader): Promise<boolean>;
  /** Returns the keys that belong to a row or are no such file. @param keys at most 400 */
  withRow(read: Reader, keys: string[]): Promise<string[]>;
}

/** Returns -1, which no row has, for text that is no id. */
export function idIn(part: string | undefined): bigint {
  return parseSnowflake(part ?? '') ?? -1n;
}
