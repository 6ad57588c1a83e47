import type { Attachment, Reader } from '../infra/database/index.js';
import { parseSnowflake } from '../infra/ids.js';

/** What is known of a file that is kept, whatever it belongs to. */
export type FileFacts = Omit<Attachment, 'messageId' | 'description' | 'accountId'>;

/** Files of one kind, each of which belongs to a row. */
export interface KeptFiles {
  /** Where they are in the blob store. */
  folder: string;
  /** Whether any row has such a file. */
  knowsAny(read: Reader): Promise<boolean>;
  /** Of at most 400 keys those that belong to a row, and those that are no such file. */
  withRow(read: Reader, keys: string[]): Promise<string[]>;
}

/** The id that a part of a key is; -1, which nobody has, for any other text. */
export function idIn(part: string | undefined): bigint {
  return parseSnowflake(part ?? '') ?? -1n;
}
