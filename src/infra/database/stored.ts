/** A list of texts in a JSON column, as it stands there. */
export function storedStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
