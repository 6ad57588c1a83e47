/** Types that cannot run scripts. */
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

/** Uses the sender's type only if it is safe. */
export function servedType(contentType: string): string {
  if (!SHOWN_IN_PLACE.has(contentType)) return 'application/octet-stream';
  return contentType === 'text/plain' ? 'text/plain; charset=utf-8' : contentType;
}

/** RFC 6266; RFC 8187 for non-ASCII names. */
export function dispositionOf(contentType: string, filename: string): string {
  const kind = SHOWN_IN_PLACE.has(contentType) ? 'inline' : 'attachment';
  const plain = filename.replace(/[^\w.-]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded(filename)}`;
}

/** Also encodes characters that headers do not allow. */
function encoded(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
