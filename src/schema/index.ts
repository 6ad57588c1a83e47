import './scalars.js';
import './user.js';
import './application.js';
import './application-settings.js';
import './tester.js';
import './team.js';
import './team-invitation.js';
import './portal-home.js';
import './audit-log.js';
import './portal-changes.js';
import './installation.js';
import './role.js';
import './member.js';
import './message.js';
import './channel.js';
import './guild.js';
import './invite.js';
import './channel-events.js';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.js';
import { limitMutations, limitOperations } from './limits.js';

export const schema = limitOperations(limitMutations(builder.toSchema()));

/** The schema as text, the same for the same schema. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
