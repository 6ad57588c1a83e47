import { createContext, useContext } from 'react';
import type { TeamPageFragment, TeamRole } from '../../gql/types.js';
import { useMyId } from '../../me.js';

export const TeamContext = createContext<TeamPageFragment | null>(null);

export function useTeam(): TeamPageFragment {
  const team = useContext(TeamContext);
  if (!team) throw new Error('useTeam() must be called inside a TeamContext.');
  return team;
}

interface Members {
  members: readonly { role: TeamRole; user: { id: string } }[];
}

/** @returns undefined while the user's id is loading */
export function useMyRole({ members }: Members): TeamRole | undefined {
  const myId = useMyId();
  return members.find(({ user }) => user.id === myId)?.role;
}

/** For example “1 member”. */
export function counted(count: number, one: string, most = Number.POSITIVE_INFINITY): string {
  const number = count >= most ? `${count} or more` : count;
  return `${number} ${one}${count === 1 ? '' : 's'}`;
}
