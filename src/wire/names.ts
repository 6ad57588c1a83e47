/** The wire's name of what the domain names otherwise: `channelId` is `channel_id`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
