import { APPLICATION_ROLES, PORTAL_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { ApplicationOperation, TeamOperation, TeamRole } from '../../gql/types.js';
import { ROLE_WORDS } from './role-words.js';

/** Why the user may not perform the operation; undefined if they may. @param may operations allowed to the user */
export function whyNotTeam(may: readonly TeamOperation[], operation: TeamOperation): string | undefined {
  return may.includes(operation) ? undefined : needs(TEAM_ROLES[operation]);
}

/** Why the user may not perform the operation; undefined if they may. @param may operations allowed to the user */
export function whyNotApplication(
  may: readonly ApplicationOperation[],
  operation: ApplicationOperation,
): string | undefined {
  return may.includes(operation) ? undefined : needs(APPLICATION_ROLES[operation]);
}

/** Names the lowest role that suffices. */
function needs(roles: readonly TeamRole[]): string {
  const [least] = PORTAL_ROLES.filter((role) => roles.includes(role)).slice(-1);
  return least ? `Needs the role ${ROLE_WORDS[least]}.` : 'Nobody may do this.';
}
