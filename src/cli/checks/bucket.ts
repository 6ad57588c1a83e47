import { join } from 'node:path';
import type { Config, S3Location } from '../../config.js';
import { type Check, failure, passed } from './check.js';
import type { ClockReading } from './clock.js';

/** Precision of the `Date` header. */
const DATE_WITHIN_MS = 1_000;

/** Writes, reads and removes an object. */
export async function checkBucket(
  location: S3Location,
  { dataDir }: Config,
): Promise<{ checks: Check[]; clocks: ClockReading[] }> {
  const { BlobsUnavailable, createFileBlobStore } = await import('../../infra/storage/blobs.js');
  const { inspectBucket } = await import('../../infra/storage/s3-blobs.js');
  const { createLogger } = await import('../../infra/observability/logger.js');
  const { systemClock } = await import('../../infra/clock.js');
  const place = `${location.bucket}${location.endpoint === null ? '' : ` at ${location.endpoint}`}`;
  try {
    const staging = createFileBlobStore(join(dataDir, 'blobs'));
    const offsetMs = await inspectBucket(location, staging, systemClock, await createLogger('silent'));
    const clocks = offsetMs === null ? [] : [{ of: 'the S3 store', offsetMs, withinMs: DATE_WITHIN_MS }];
    return { checks: [passed('bucket', `${place}: an object was written, read and removed`)], clocks };
  } catch (error) {
    const reason = error instanceof BlobsUnavailable ? error.reason : String(error);
    const isAway = error instanceof BlobsUnavailable && error.mayPass;
    return { checks: [failure('bucket', `${place}: ${reason}`, isAway ? AWAY : adviceFor(reason))], clocks: [] };
  }
}

const AWAY = 'Start the store or correct BLOB_URL. Until then, requests that need a file get 503.';

/** By words of the error codes that S3 stores have in common. */
const ADVICE: [code: RegExp, advice: string][] = [
  [/NoSuchBucket/, 'Create the bucket, or correct its name in BLOB_URL.'],
  [/RequestTimeTooSkewed/, 'Correct the clock of this machine: the store refuses requests that are 15 minutes off.'],
  [
    /InvalidAccessKeyId|SignatureDoesNotMatch|CredentialsProviderError|credentials/i,
    'Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  ],
  [/PermanentRedirect|AuthorizationHeaderMalformed|Region/, 'Correct the region in BLOB_URL.'],
  [/AccessDenied/, 'Allow s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject to these credentials.'],
];

function adviceFor(reason: string): string {
  return ADVICE.find(([code]) => code.test(reason))?.[1] ?? 'Correct BLOB_URL and the AWS environment variables.';
}
