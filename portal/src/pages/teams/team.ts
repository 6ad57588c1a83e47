import { createContext, useContext } from 'react';
import type { TeamPageFragment, TeamRole } from '../../gql/types.js';
import { useMyId } from '../../me.js';

/** The team whose pages are open, as it is at the moment. */
export const TeamContext = createContext<TeamPageFragment | null>(null);

/** The team whose pages are open. */
export function useTeam(): TeamPageFragment {
  const team = useContext(TeamContext);
  if (!team) throw new Error('no team is open');
  return team;
}

interface Members {
  members: readonly { role: TeamRole; user: { id: string } }[];
}

/** The caller's role in a team; undefined until it is known who they are. */
export function useMyRole({ members }: Members): TeamRole | undefined {
  const myId = useMyId();
  return members.find(({ user }) => user.id === myId)?.role;
}

/** Such as “1 member”. */
export function counted(count: number, one: string, most = Number.POSITIVE_INFINITY): string {
  const number = count >= most ? `${count} or more` : count;
  return `${number} ${one}${count === 1 ? '' : 's'}`;
}
