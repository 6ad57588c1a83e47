import { callContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import { trimmedText } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { GraphqlContext } from './context.js';

const Reason = trimmedText(0, limits.auditReason).nullish();

/** The same call with a reason for the audit log, which stands in the input's field `reason`. @throws INVALID_INPUT for one that is too long */
export function withReason({ app, call }: GraphqlContext, reason: string | null | undefined): CallContext {
  const auditReason = parseInput(Reason, reason, 'reason') || null;
  if (auditReason === null) return call;
  const { actor, requestId, locale } = call;
  return callContext(app, actor, { requestId, locale, auditReason });
}
