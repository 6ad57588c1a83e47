/** The names of the service's built-in commands, by group (service description, section 2). */
export const RESERVED_NAMES = {
  moderation: ['ban', 'unban', 'kick', 'clear', 'slowmode'],
  fun: ['8ball', 'flip', 'choice', 'ascii', 'qrcode', 'love'],
  info: ['serverinfo', 'userinfo', 'avatar'],
  member: ['afk', 'remindme', 'welcome', 'goodbye'],
  client: ['me', 'poll', 'shrug', 'tableflip', 'unflip', 'lenny'],
} as const;

const RESERVED: ReadonlySet<string> = new Set(Object.values(RESERVED_NAMES).flat());

/** Whether a command's name is a built-in's; case and surrounding whitespace make no difference. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.trim().toLowerCase());
}
