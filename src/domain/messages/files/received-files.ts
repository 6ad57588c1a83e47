import type { StagedBlob } from '../../../infra/storage/blobs.js';

/** Received completely, but not stored yet. */
export interface ReceivedFile {
  blob: StagedBlob;
  /** As sent by the client. */
  filename: string;
  contentType: string;
}

export interface UploadedFile extends ReceivedFile {
  /** The number in the field name `files[n]`. */
  index: number;
}
