import { APPLICATION_ROLES, PORTAL_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { ApplicationOperation, TeamOperation, TeamRole } from '../../gql/types.js';
import { ROLE_WORDS } from './role-words.js';

/** Returns why the user may not perform the operation, or undefined. @param may the user's operations */
export function whyNotTeam(may: readonly TeamOperation[], operation: TeamOperation): string | undefined {
  return may.includes(operation) ? undefined : needs(TEAM_ROLES[operation]);
}

/** Returns why the user may not perform the operation, or undefined. @param may the user's operations */
export function whyNotApplication(
  may: readonly ApplicationOperation[],
  operation: ApplicationOperation,
): string | undefined {
  return may.includes(operation) ? undefined : needs(APPLICATION_ROLES[operation]);
}

/** Names the lowest sufficient role. */
function needs(roles: readonly TeamRole[]): string {
  const [least] = PORTAL_ROLES.filter((role) => roles.includes(role)).slice(-1);
  return least ? `You need the ${ROLE_WORDS[least]} role.` : 'No role allows this.';
}
