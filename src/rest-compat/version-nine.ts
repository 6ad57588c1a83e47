import type { CallContext } from '../domain/call.js';
import { readReasonField } from './audit-reason.js';
import type { RestQuery } from './request.js';
import type { Route } from './route.js';

/** Bodies at these paths are messages. */
const MESSAGES = /^\/channels\/:channelId\/messages(?:\/:messageId)?$/;

/**
 * Converts a version 9 `embed` to `embeds`; null becomes an empty list.
 * @see https://discord.com/developers/docs/change-log#api-v10
 */
export function asVersion10({ path }: Pick<Route, 'path'>, body: unknown): unknown {
  if (!MESSAGES.test(path) || typeof body !== 'object' || body === null) return body;
  if (!('embed' in body) || ('embeds' in body && body.embeds != null)) return body;
  return { ...body, embeds: body.embed === null ? [] : [body.embed] };
}

/**
 * Applies the reason field of version 9, unless the header has one.
 * @throws INVALID_INPUT
 */
export function withReasonField(call: CallContext, query: RestQuery, body: unknown): CallContext {
  if (call.auditReason !== null) return call;
  const reason = readReasonField(query, body);
  return reason === null ? call : call.because(reason);
}
