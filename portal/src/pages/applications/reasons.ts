import type { ApplicationOperation } from '../../gql/types.js';
import { whyNotApplication } from '../teams/rights.js';
import { useApplication } from './application.js';

/** Returns why the user may not perform the operation, or undefined if they may. */
export function useReason(operation: ApplicationOperation): string | undefined {
  return whyNotApplication(useApplication().viewerOperations, operation);
}
