import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { blobUrlAt, S3_CREDENTIALS, startS3 } from './s3.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of an S3 server, where servers under test are to keep uploads there. */
    s3?: string;
  }
}

/** Starts one S3 server for a whole run. */
export default async function provideS3({ provide }: TestProject): Promise<() => Promise<void>> {
  const s3 = await startS3();
  provide('s3', s3.endpoint);
  return s3.remove;
}

/** What the environment of a server under test says of where uploads are: nothing, or a place of its own at an S3 server. */
export function placeOfBlobs(endpoint: string | undefined): Record<string, string> {
  if (endpoint === undefined) return {};
  Object.assign(process.env, S3_CREDENTIALS);
  return { BLOB_URL: blobUrlAt(endpoint, randomUUID()), ...S3_CREDENTIALS };
}
