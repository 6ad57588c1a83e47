import './scalars.js';
import './users.js';
import './personal-tokens.js';
import './instance.js';
import './instance-people.js';
import './data-exports.js';
import './instance-applications.js';
import './instance-servers.js';
import './instance-invitations.js';
import './instance-limits.js';
import './instance-log.js';
import './deletions.js';
import './applications.js';
import './application-settings.js';
import './application-secrets.js';
import './interactions-endpoints.js';
import './testers.js';
import './teams.js';
import './team-invitations.js';
import './viewer-operations.js';
import './portal-home.js';
import './audit-log.js';
import './portal-changes.js';
import './installations.js';
import './roles.js';
import './members.js';
import './messages.js';
import './channels.js';
import './pins.js';
import './reactions.js';
import './interactions.js';
import './listeners.js';
import './guilds.js';
import './guild-mutations.js';
import './boxes.js';
import './instance-boxes.js';
import './bans.js';
import './presences.js';
import './gateway-sessions.js';
import './voice.js';
import './commands.js';
import './webhooks.js';
import './application-files.js';
import './invites.js';
import './command-permissions.js';
import './emojis.js';
import './guild-changes.js';
import './built-in-commands.js';
import './channel-events.js';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.js';
import { limitMutations, limitOperations } from './limits.js';

export const schema = limitOperations(limitMutations(builder.toSchema()));

/** Sorted, so that equal schemas have equal text. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
