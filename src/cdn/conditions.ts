export interface ByteRange {
  start: number;
  end: number;
}

/**
 * RFC 9110, section 14.2. Anything but a single byte range means the whole file.
 * @param size in bytes
 * @returns inclusive bounds; null for the whole
 */
export function parseRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size - 1 };
}

/** RFC 9110, section 13.1.2. */
export function matches(header: string | undefined, tag: string): boolean {
  const tags = tagsOf(header).map((candidate) => candidate.replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

/** Weak tags never match (RFC 9110, section 13.1.1). */
export function isTheSame(header: string, tag: string): boolean {
  const tags = tagsOf(header);
  return tags.includes(tag) || tags.includes('*');
}

function tagsOf(header = ''): string[] {
  return header.split(',').map((tag) => tag.trim());
}
