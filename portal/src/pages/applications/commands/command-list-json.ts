/** Parses a JSON list. The server checks its items. */
export function parseList(text: string): { commands: unknown[] } | { fault: string } {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? { commands: json } : { fault: 'The commands must be a JSON array.' };
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
