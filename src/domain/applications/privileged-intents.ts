import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import type { Application } from '../../infra/database/index.js';

/** Discord's flags of unverified applications. */
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

/** Gateway intents that an application must enable first. */
export const PRIVILEGED_INTENTS = Object.keys(ROWS) as [PrivilegedIntent, ...PrivilegedIntent[]];

export type IntentColumns = Pick<Application, (typeof ROWS)[PrivilegedIntent]['column']>;

export const INTENT_COLUMNS = {
  guildMembersIntent: true,
  presencesIntent: true,
  messageContentIntent: true,
} satisfies Record<keyof IntentColumns, true>;

export function privilegedIntents(columns: IntentColumns): PrivilegedIntent[] {
  return PRIVILEGED_INTENTS.filter((intent) => columns[ROWS[intent].column]);
}

export function intentColumns(on: readonly PrivilegedIntent[]): IntentColumns {
  return {
    guildMembersIntent: on.includes('GUILD_MEMBERS'),
    presencesIntent: on.includes('PRESENCES'),
    messageContentIntent: on.includes('MESSAGE_CONTENT'),
  };
}

export function intentBitsWithout(on: readonly PrivilegedIntent[]): number {
  return PRIVILEGED_INTENTS.reduce((bits, intent) => (on.includes(intent) ? bits : bits | ROWS[intent].bit), 0);
}

export function flagsOfIntents(on: readonly PrivilegedIntent[]): ApplicationFlags {
  return on.reduce<number>((flags, intent) => flags | ROWS[intent].flag, 0);
}

export function intentsOfFlags(flags: number): PrivilegedIntent[] {
  return PRIVILEGED_INTENTS.filter((intent) => (flags & ROWS[intent].flag) !== 0);
}
