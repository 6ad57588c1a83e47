export function idOrNull(id: bigint | null): string | null {
  return id === null ? null : String(id);
}
