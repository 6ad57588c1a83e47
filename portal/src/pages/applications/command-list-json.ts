/** Parses a JSON list. The server checks its items. */
export function parseList(text: string): { commands: unknown[] } | { fault: string } {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? { commands: json } : { fault: 'The commands have to be a list in brackets.' };
  } catch (error) {
    return { fault: `This is no JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
}
