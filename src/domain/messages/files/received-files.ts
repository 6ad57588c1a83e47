import type { StagedBlob } from '../../../infra/storage/blobs.js';

/** Received completely, but not stored yet. */
export interface ReceivedFile {
  blob: StagedBlob;
  /** The sender's name of the file. */
  filename: string;
  contentType: string;
}

export interface UploadedFile extends ReceivedFile {
  /** The number in the field name `files[n]`. */
  index: number;
}
