import type { CallContext } from '../domain/call.js';
import { readReasonField } from './audit-reason.js';
import type { RestQuery } from './request.js';
import type { Route } from './route.js';

/** The paths whose bodies are messages that a bot sends or edits. */
const MESSAGES = /^\/channels\/:channelId\/messages(?:\/:messageId)?$/;

/**
 * The body of a message at version 9 as version 10 has it: a single `embed` is the only one of `embeds`, and null is none. The same
 * body for every other row.
 * @see https://discord.com/developers/docs/change-log#api-v10
 */
export function asVersion10({ path }: Pick<Route, 'path'>, body: unknown): unknown {
  if (!MESSAGES.test(path) || typeof body !== 'object' || body === null) return body;
  if (!('embed' in body) || ('embeds' in body && body.embeds != null)) return body;
  return { ...body, embeds: body.embed === null ? [] : [body.embed] };
}

/**
 * The same call with the reason for the audit log that a request at version 9 states as a field, unless its header states one.
 * @throws INVALID_INPUT for one that is too long
 */
export function withReasonField(call: CallContext, query: RestQuery, body: unknown): CallContext {
  if (call.auditReason !== null) return call;
  const reason = readReasonField(query, body);
  return reason === null ? call : call.because(reason);
}
