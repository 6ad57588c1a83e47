import { APPLICATION_ROLES, PORTAL_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { ApplicationOperation, TeamOperation, TeamRole } from '../../gql/types.js';
import { ROLE_WORDS } from './role-words.js';

/** Why the caller may not do it with a team, of which they may do what is given; undefined where they may. */
export function whyNotTeam(may: readonly TeamOperation[], operation: TeamOperation): string | undefined {
  return may.includes(operation) ? undefined : needs(TEAM_ROLES[operation]);
}

/** Why the caller may not do it with an application, with which they may do what is given; undefined where they may. */
export function whyNotApplication(
  may: readonly ApplicationOperation[],
  operation: ApplicationOperation,
): string | undefined {
  return may.includes(operation) ? undefined : needs(APPLICATION_ROLES[operation]);
}

/** The least role that is enough. */
function needs(roles: readonly TeamRole[]): string {
  const [least] = PORTAL_ROLES.filter((role) => roles.includes(role)).slice(-1);
  return least ? `Needs the role ${ROLE_WORDS[least]}.` : 'Nobody may do this.';
}
