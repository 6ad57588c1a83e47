import { type AppContext, callContext } from '../context.js';
import type { Actor, CallContext } from '../domain/call.js';
import { refusalIn } from '../domain/errors.js';
import type { UploadedFile } from '../domain/messages/index.js';
import { parseInput, parseInTurns } from '../domain/parse-input.js';
import { countedAs } from '../domain/rate-limits.js';
import { readLocale } from '../http/locale.js';
import { readAuditReason } from './audit-reason.js';
import { type BodyReceiver, readBody } from './body.js';
import { coerceTo } from './coerce.js';
import { INTERNAL_ERROR, renderRestError } from './errors.js';
import type { Matched } from './match.js';
import { errorAnswer, jsonAnswer, type RestAnswer, type RestRequest } from './request.js';
import type { Outcome, Route } from './route.js';
import { parseParams } from './schemas.js';
import { asVersion10, withReasonField } from './version-nine.js';

/** @throws INVALID_INPUT if the audit-log reason is invalid */
export function callFor(
  app: AppContext,
  { id, workKey, headers }: Pick<RestRequest, 'id' | 'workKey' | 'headers'>,
  actor: Actor,
): CallContext {
  const auditReason = readAuditReason(headers['x-audit-log-reason']);
  const named = { requestId: id, ...(workKey === undefined ? {} : { workKey }) };
  return callContext(app, actor, { ...named, auditReason, locale: readLocale(headers) });
}

export async function perform(
  app: AppContext,
  matched: Matched,
  request: RestRequest,
  call: CallContext,
): Promise<RestAnswer> {
  try {
    const { status, body } = await run(app, matched, request, call);
    return matched.row.answer ?? jsonAnswer(status, body);
  } catch (error) {
    await noteRefusal(app, matched, call, error);
    return faultAnswer(app, request, error);
  }
}

/** A failure here does not change the response. */
async function noteRefusal(app: AppContext, { row }: Matched, call: CallContext, error: unknown): Promise<void> {
  const refusal = refusalIn(error);
  if (!row.noteRefusal || !refusal) return;
  try {
    await row.noteRefusal(call, refusal);
  } catch (fault) {
    app.log.warn({ err: fault, requestId: call.requestId }, 'Could not record a refused request');
  }
}

export function faultAnswer(app: AppContext, { id, method }: RestRequest, error: unknown): RestAnswer {
  const refusal = renderRestError(error);
  if (refusal) return errorAnswer(refusal);
  app.log.error({ err: error, requestId: id, method }, 'REST request failed');
  return errorAnswer(INTERNAL_ERROR);
}

async function run(
  app: AppContext,
  { row, params: inPath, version }: Matched,
  request: RestRequest,
  call: CallContext,
): Promise<Outcome> {
  const { headers } = request;
  const params = await parseParams(row.params, inPath);
  const query = parseInput(row.query, request.query);
  const stated = (body: unknown) => (version === 9 ? withReasonField(call, request.query, body) : call);
  if (!row.body) return row.run({ app, call: stated({}) }, { params, query, body: {}, files: [], headers });
  const sender = countedAs(call.actor, request);
  const held = app.bodies.hold(sender);
  let files: UploadedFile[] = [];
  try {
    const form = formReceiver(app, row, call, params);
    const beginForm = () => app.bodies.beginForm(sender);
    const received = await readBody(request, { row, held, form, beginForm });
    files = received.files;
    const parse = row.isParsedInTurns ? parseInTurns : parseInput;
    const value = version === 9 ? asVersion10(row, received.value) : received.value;
    const schema = row.bodyFor?.(call) ?? row.body;
    const body = await parse(schema, coerceTo(schema, value));
    return await row.run({ app, call: stated(value) }, { params, query, body, files, headers });
  } finally {
    held.release();
    await Promise.all(files.map((file) => file.blob.discard()));
  }
}

function formReceiver(
  { blobs }: AppContext,
  { admitFiles }: Route,
  call: CallContext,
  params: Record<string, unknown>,
): BodyReceiver['form'] {
  return admitFiles && { blobs, admitFiles: () => admitFiles(call, params) };
}
