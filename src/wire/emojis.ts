/** A partial emoji from its stored key: the unicode text, or `name:id` for a guild's own. */
export function renderEmoji(key: string): { id: string | null; name: string } {
  const custom = /^([^:]+):(\d+)$/.exec(key);
  return custom ? { id: custom[2] as string, name: custom[1] as string } : { id: null, name: key };
}
