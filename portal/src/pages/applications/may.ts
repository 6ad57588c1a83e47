import type { ApplicationOperation, TeamRole } from '../../gql/types.js';

interface Allowing {
  effectiveRole: TeamRole;
  viewerOperations: readonly ApplicationOperation[];
}

const ROLES: Record<TeamRole, string> = {
  OWNER: 'owner',
  ADMIN: 'admin',
  DEVELOPER: 'developer',
  READ_ONLY: 'read-only',
};

/** Why somebody may not do something with the application, in words; undefined where they may. */
export function reasonAgainst(
  { effectiveRole, viewerOperations }: Allowing,
  operation: ApplicationOperation,
): string | undefined {
  if (viewerOperations.includes(operation)) return undefined;
  return `Your role in this application is ${ROLES[effectiveRole]}, which allows you to look at this, and not to change it.`;
}
