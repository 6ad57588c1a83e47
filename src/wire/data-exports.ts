import type { DataExport } from '../domain/data-export/index.js';
import type { Clock } from '../infra/clock.js';
import type { AddressSignatures } from '../infra/crypto/address-signatures.js';

const VALID_SECONDS = 3_600;

/** The signed part of the URL. */
function exportPath({ personId, exportedFor }: DataExport): string {
  return `data-exports/${personId}/${exportedFor}`;
}

/** Time of the request for the URL, in milliseconds, rounded down to seconds. Null if the URL is invalid or expired. */
export function requestedAt(
  wanted: DataExport,
  query: Readonly<Record<string, unknown>>,
  { signatures }: { signatures: Pick<AddressSignatures, 'secondsLeft'> },
  clock: Clock,
): number | null {
  const left = signatures.secondsLeft(exportPath(wanted), query);
  return left === 0 ? null : (Math.ceil(clock.now() / 1_000) + left - VALID_SECONDS) * 1_000;
}

/** A URL that downloads the archive within an hour, without a session. */
export function exportUrl(
  wanted: DataExport,
  { publicUrl, signatures }: { publicUrl: string; signatures: Pick<AddressSignatures, 'signFor'> },
  clock: Clock,
): { url: string; expiresAt: Date } {
  const path = exportPath(wanted);
  return {
    url: `${publicUrl}/cdn/${path}?${signatures.signFor(path, VALID_SECONDS)}`,
    expiresAt: new Date(clock.now() + VALID_SECONDS * 1_000),
  };
}
