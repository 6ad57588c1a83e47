import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import type { Application } from '../../infra/database/index.js';

/** An application's column that says whether an intent is on, the intent, and the flag that shows it of an unverified application. */
const ROWS = {
  GUILD_MEMBERS: {
    column: 'guildMembersIntent',
    bit: GatewayIntentBits.GuildMembers,
    flag: ApplicationFlags.GatewayGuildMembersLimited,
  },
  PRESENCES: {
    column: 'presencesIntent',
    bit: GatewayIntentBits.GuildPresences,
    flag: ApplicationFlags.GatewayPresenceLimited,
  },
  MESSAGE_CONTENT: {
    column: 'messageContentIntent',
    bit: GatewayIntentBits.MessageContent,
    flag: ApplicationFlags.GatewayMessageContentLimited,
  },
} as const;

export type PrivilegedIntent = keyof typeof ROWS;

/** The gateway intents that an application has to have switched on. */
export const PRIVILEGED_INTENTS = Object.keys(ROWS) as [PrivilegedIntent, ...PrivilegedIntent[]];

/** The columns that say which are on. */
export type IntentColumns = Pick<Application, (typeof ROWS)[PrivilegedIntent]['column']>;

/** Asks for these columns. */
export const INTENT_COLUMNS = {
  guildMembersIntent: true,
  presencesIntent: true,
  messageContentIntent: true,
} satisfies Record<keyof IntentColumns, true>;

/** Those that an application has switched on. */
export function privilegedIntents(columns: IntentColumns): PrivilegedIntent[] {
  return PRIVILEGED_INTENTS.filter((intent) => columns[ROWS[intent].column]);
}

/** What an application's columns say when these are on, and no others. */
export function intentColumns(on: readonly PrivilegedIntent[]): IntentColumns {
  return {
    guildMembersIntent: on.includes('GUILD_MEMBERS'),
    presencesIntent: on.includes('PRESENCES'),
    messageContentIntent: on.includes('MESSAGE_CONTENT'),
  };
}

/** The bits of all privileged intents but these. */
export function intentBitsWithout(on: readonly PrivilegedIntent[]): number {
  return PRIVILEGED_INTENTS.reduce((bits, intent) => (on.includes(intent) ? bits : bits | ROWS[intent].bit), 0);
}

/** An application's flags when these are on. */
export function flagsOfIntents(on: readonly PrivilegedIntent[]): ApplicationFlags {
  return on.reduce<number>((flags, intent) => flags | ROWS[intent].flag, 0);
}

/** Those that an application's flags show as on. */
export function intentsOfFlags(flags: number): PrivilegedIntent[] {
  return PRIVILEGED_INTENTS.filter((intent) => (flags & ROWS[intent].flag) !== 0);
}
