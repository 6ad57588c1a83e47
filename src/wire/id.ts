/** An id as the wire has it: decimal text, or null. */
export function idOrNull(id: bigint | null): string | null {
  return id === null ? null : String(id);
}
