import type { CallContext } from '../domain/call.js';
import { trimmedText } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';

const Reason = trimmedText(0, limits.auditReason).nullish();

/** Options of the input field. */
export const REASON = { description: `Shown in the audit log. At most ${limits.auditReason} characters.` };

/** @throws INVALID_INPUT if the reason is too long */
export function withReason(call: CallContext, reason: string | null | undefined): CallContext {
  const stated = parseInput(Reason, reason, 'reason');
  return stated ? call.because(stated) : call;
}
