import type { ApplicationPageFragment } from '../../gql/types.js';
import { APPLICATION_ROLES } from '../../gql/words.js';
import { useApplication } from './application.js';

type Operation = ApplicationPageFragment['viewerOperations'][number];

/** Why the caller may not do it with the open application; undefined when they may. */
export function useReason(operation: Operation): string | undefined {
  const { viewerOperations } = useApplication();
  return viewerOperations.includes(operation) ? undefined : neededRole(APPLICATION_ROLES[operation]);
}

function neededRole(role: string): string {
  return `Needs the role ${role}.`;
}
