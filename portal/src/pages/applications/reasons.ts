import type { ApplicationOperation } from '../../gql/types.js';
import { whyNotApplication } from '../teams/rights.js';
import { useApplication } from './application.js';

/** Why the caller may not do it with the open application; undefined when they may. */
export function useReason(operation: ApplicationOperation): string | undefined {
  return whyNotApplication(useApplication().viewerOperations, operation);
}
