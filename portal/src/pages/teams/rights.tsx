import { useId } from 'react';
import { APPLICATION_ROLES, PORTAL_ROLES, TEAM_ROLES } from '../../gql/roles.js';
import type { ApplicationOperation, TeamOperation, TeamRole } from '../../gql/types.js';
import { ROLE_WORDS } from './role-words.js';

/** Why something is off; undefined where it is on. */
export type Reason = string | undefined;

/** Why the caller may not do it with a team, of which they may do what is given. */
export function whyNotTeam(may: readonly TeamOperation[], operation: TeamOperation): Reason {
  return may.includes(operation) ? undefined : needs(TEAM_ROLES[operation]);
}

/** Why the caller may not do it with an application, with which they may do what is given. */
export function whyNotApplication(may: readonly ApplicationOperation[], operation: ApplicationOperation): Reason {
  return may.includes(operation) ? undefined : needs(APPLICATION_ROLES[operation]);
}

/** The least role that is enough. */
function needs(roles: readonly TeamRole[]): string {
  const [least] = PORTAL_ROLES.filter((role) => roles.includes(role)).slice(-1);
  return least ? `Needs the role ${ROLE_WORDS[least]}.` : 'Nobody may do this.';
}

interface Explained {
  /** For what is off: switches it off, and points at the reason. */
  off: { disabled?: true; 'aria-describedby'?: string };
  /** Says it, once for all that is off because of it. */
  note: React.ReactNode;
}

/** What somebody may not do is shown, but off, with the reason beside it. */
export function useReason(reason: Reason): Explained {
  const id = useId();
  if (reason === undefined) return { off: {}, note: null };
  const note = (
    <p className="soft small" id={id}>
      {reason}
    </p>
  );
  return { off: { disabled: true, 'aria-describedby': id }, note };
}
