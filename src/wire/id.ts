/** An id as the wire has it: decimal text, or null. */
export function idOrNull(id: bigint | null): string | null {
  return id === null ? null : String(id);
}

/** An id from an address; undefined for text that is none. */
export function snowflakeText(text: string): bigint | undefined {
  return /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined;
}
