import type { StagedBlob } from '../../infra/blobs.js';

/** A file that was received whole and belongs to nothing yet. */
export interface ReceivedFile {
  blob: StagedBlob;
  /** As its sender named it. */
  filename: string;
  /** Its media type. */
  contentType: string;
}

/** A file of a message that is not there yet. */
export interface UploadedFile extends ReceivedFile {
  /** The number by which the message's `attachments` speak of it: the n of `files[n]`. */
  index: number;
}
