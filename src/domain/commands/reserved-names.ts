/** Service description, section 2. */
export const RESERVED_NAMES = {
  moderation: ['ban', 'unban', 'kick', 'clear', 'slowmode'],
  fun: ['8ball', 'flip', 'choice', 'ascii', 'qrcode', 'love'],
  info: ['serverinfo', 'userinfo', 'avatar'],
  member: ['afk', 'remindme', 'welcome', 'goodbye'],
  client: ['me', 'poll', 'shrug', 'tableflip', 'unflip', 'lenny'],
} as const;

const RESERVED: ReadonlySet<string> = new Set(Object.values(RESERVED_NAMES).flat());

/** Ignores case and surrounding whitespace. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.trim().toLowerCase());
}
