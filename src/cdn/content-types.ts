/** Types a browser may show in place: none of them can hold a script that runs. */
const SHOWN_IN_PLACE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'video/quicktime',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/flac',
  'text/plain',
]);

/** The type a file is served with: what its sender said where that is safe, plain bytes otherwise. */
export function servedType(contentType: string): string {
  if (!SHOWN_IN_PLACE.has(contentType)) return 'application/octet-stream';
  return contentType === 'text/plain' ? 'text/plain; charset=utf-8' : contentType;
}

/** Whether a browser shows the file or saves it, with the file's name (RFC 6266; RFC 8187 for names outside ASCII). */
export function dispositionOf(contentType: string, filename: string): string {
  const kind = SHOWN_IN_PLACE.has(contentType) ? 'inline' : 'attachment';
  const plain = filename.replace(/[^\w.-]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded(filename)}`;
}

/** What `encodeURIComponent` leaves as it is, and a header's value may not hold so. */
function encoded(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
