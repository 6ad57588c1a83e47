import type { ApplicationOperation } from '../../gql/types.js';
import { whyNotApplication } from '../teams/rights.js';
import { useApplication } from './application.js';

/** Why the user may not perform the operation; undefined if they may. */
export function useReason(operation: ApplicationOperation): string | undefined {
  return whyNotApplication(useApplication().viewerOperations, operation);
}
