import type { Application } from '../../infra/database/index.js';

/** The privileged gateway intents an application has switched on. */
export interface PrivilegedIntents {
  guildMembers: boolean;
  presences: boolean;
  messageContent: boolean;
}

/** The columns that say so. */
export type IntentColumns = Pick<Application, 'guildMembersIntent' | 'presencesIntent' | 'messageContentIntent'>;

export function privilegedIntentsOf(columns: IntentColumns): PrivilegedIntents {
  return {
    guildMembers: columns.guildMembersIntent,
    presences: columns.presencesIntent,
    messageContent: columns.messageContentIntent,
  };
}
