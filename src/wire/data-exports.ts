import type { DataExport } from '../domain/data-export/index.js';
import type { Clock } from '../infra/clock.js';
import type { AddressSignatures } from '../infra/crypto/address-signatures.js';

const VALID_SECONDS = 3_600;

/** The signed part of the URL. */
export function exportPath({ personId, exportedFor }: DataExport): string {
  return `data-exports/${personId}/${exportedFor}`;
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
