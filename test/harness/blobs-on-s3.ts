import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { blobUrlAt, S3_CREDENTIALS, startS3 } from './s3.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of an S3 server if servers under test store uploads there. */
    s3?: string;
  }
}

export default async function provideS3({ provide }: TestProject): Promise<() => Promise<void>> {
  const s3 = await startS3();
  provide('s3', s3.endpoint);
  return s3.remove;
}

/** The environment variables for the uploads of a server under test: a path of its own on an S3 server, or none. */
export function placeOfBlobs(endpoint: string | undefined): Record<string, string> {
  if (endpoint === undefined) return {};
  Object.assign(process.env, S3_CREDENTIALS);
  return { BLOB_URL: blobUrlAt(endpoint, randomUUID()), ...S3_CREDENTIALS };
}
