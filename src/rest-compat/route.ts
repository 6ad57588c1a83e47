import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import { type DomainError, type ErrorCode, renameFaults } from '../domain/errors.js';
import type { Scope } from '../domain/installations/index.js';
import type { UploadedFile } from '../domain/messages/index.js';
import { JSON_BOUNDS, type JsonBounds } from '../infra/network/bounded-json.js';
import type { Limit } from '../infra/rate-limits.js';
import type { RestAnswer } from './request.js';

const ANYTHING = z.unknown();

const MAX_JSON_BYTES = 1024 * 1024;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `token` is any OAuth2 token, and `{ scope }` is one with that scope. Webhook and interaction tokens are in the path.
 */
export type Caller = CallerKind | { scope: Scope };

export type CallerKind = 'bot' | 'session' | 'token' | 'webhookToken' | 'interactionToken';

/** Routes with the same limit name share a bucket, per caller and `major` values. */
export interface Bucket {
  limit: Limit;
  /** Path parameters that divide the bucket, such as `channelId`. */
  major: readonly string[];
  /** Discord's own error for this limit. */
  refusal?: { code: number; message: string };
}

/** Runs in the cloud, on its data. */
export const CLOUD = 'cloud';

/**
 * Handling of targets on self-hosted servers (service description, section 4). `inCloud` uses the cloud's data about
 * that server.
 */
export type SelfHosted = 'forward' | 'inCloud' | 'notFound' | 'notImplemented';

/** Path parameters that locate the server. */
export type TargetParam = 'guildId' | 'channelId' | 'webhookId';

export type Where<Body = unknown> = typeof CLOUD | WhereTargetIs<Body>;

interface WhereTargetIs<Body> {
  by: TargetParam;
  selfHosted: SelfHosted | ((body: Body) => SelfHosted);
  /** A box's error that means "already done"; the caller gets 204. */
  isDoneIf?: ErrorCode;
  /** Checks that only the cloud can make. */
  beforeForward?(call: CallContext): Promise<void>;
  /** Called after the box reports success. */
  afterForward?(call: CallContext): void;
  /** Shown in docs/parity.md. */
  note?: string;
  /**
   * Converts another service's body for the box, sent to the parent path; null sends nothing. The caller gets the row's
   * `answer` if the box succeeds or nothing was sent.
   */
  forwardAs?(body: Body, headers: IncomingHttpHeaders): object | null;
  /** `SELF_HOSTED_WEBHOOKS` can make these routes 404 on self-hosted servers. */
  isOfWebhooks?: boolean;
}

/** Runs where the target guild is hosted: here, or on its box. */
export function onServerOf(by: TargetParam): { by: TargetParam; selfHosted: 'forward' } {
  return { by, selfHosted: 'forward' };
}

/** 204 has no body. */
export type Success = 200 | 201 | 204;

export interface StatusByResult<Result> {
  oneOf: readonly Success[];
  of(result: Result): Success;
}

export type PathParams = Readonly<Record<string, string>>;

export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  files: UploadedFile[];
  headers: IncomingHttpHeaders;
}

export interface RenderContext {
  app: AppContext;
  call: CallContext;
}

export interface Outcome {
  status: Success;
  body: unknown;
}

/** Everything about a route except the domain's verb. */
export interface Route {
  method: HttpMethod;
  /** Relative to `{base_url}`, with parameters as `:name`. */
  path: string;
  summary: string;
  description: string | null;
  /** In path order. */
  paramNames: readonly string[];
  callers: readonly Caller[];
  bucket: Bucket;
  where: Where;
  params: z.ZodType<Record<string, unknown>>;
  query: z.ZodType;
  /** In wire names; null for none. */
  body: z.ZodType | null;
  bodyFor: ((call: CallContext) => z.ZodType) | null;
  isParsedInTurns: boolean;
  /** Throws if the caller may not send files. Null if the route takes none. */
  admitFiles: ((call: CallContext, params: Record<string, unknown>) => Promise<void>) | null;
  /** In bytes. */
  maxJsonBytes: number;
  jsonBounds: JsonBounds;
  /** Fixed response for every success; null if the result is rendered. */
  answer: RestAnswer | null;
  statuses: readonly Success[];
  /** Such responses must not be cached. */
  showsSecret: boolean;
  /** Records errors that callers can look up later. */
  noteRefusal: ((call: CallContext, refusal: DomainError) => Promise<void>) | null;
  run(context: RenderContext, input: RouteInput<unknown, unknown, unknown>): Promise<Outcome>;
}

interface RouteSpec<
  Params extends z.ZodType<Record<string, unknown>>,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Result,
> {
  method: HttpMethod;
  path: string;
  /** Title in the API reference, such as `Get a channel`. */
  summary: string;
  /** Facts that the summary and the schemas do not show, in Markdown. */
  description?: string;
  /** Empty if the route needs no credential. */
  callers: readonly Caller[];
  bucket: Bucket;
  where: Where<z.output<Body>>;
  params: Params;
  query?: Query;
  /** In wire names. */
  body?: Body;
  /** Replaces `body` if the schema depends on instance settings. The API reference shows `body`. */
  bodyFor?(call: CallContext): Body;
  /** Whether parsing the body yields to the event loop. */
  isParsedInTurns?: boolean;
  /** Wire names in error paths, such as `app_name` for `appName`. */
  faultNames?: Readonly<Record<string, string>>;
  /** Throws if the caller may not send files. Without it, the body is JSON only. */
  admitFiles?(call: CallContext, params: z.output<Params>): Promise<void>;
  maxJsonBytes?: number;
  /** Default: `JSON_BOUNDS`. */
  jsonBounds?: JsonBounds;
  /** Default: 200, or 204 without a renderer. */
  status?: Success | StatusByResult<Result>;
  /** Fixed response for every success. */
  answer?: RestAnswer & { status: Success };
  showsSecret?: boolean;
  /** Called for every error once the caller is known, including invalid bodies. */
  noteRefusal?(call: CallContext, refusal: DomainError): Promise<void>;
  run(
    call: CallContext,
    input: RouteInput<z.output<Params>, z.output<Query>, z.output<Body>>,
    app: AppContext,
  ): Promise<Result>;
  /** Without it, or for a 204, the response has no body. */
  render?(result: Result, context: RenderContext): unknown;
}

/** @throws Error if the row contradicts itself */
export function route<
  Params extends z.ZodType<Record<string, unknown>>,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Result,
>(spec: RouteSpec<Params, Query, Body, Result>): Route {
  const { status = spec.answer?.status ?? (spec.render ? 200 : 204) } = spec;
  const paramNames = [...spec.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  checkParams(spec, paramNames);
  return {
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    description: spec.description ?? null,
    paramNames,
    callers: spec.callers,
    bucket: spec.bucket,
    where: spec.where as Where,
    params: spec.params,
    query: spec.query ?? ANYTHING,
    body: spec.body ?? null,
    bodyFor: spec.bodyFor ?? null,
    isParsedInTurns: spec.isParsedInTurns ?? false,
    admitFiles: spec.admitFiles ? async (call, params) => spec.admitFiles?.(call, params as z.output<Params>) : null,
    maxJsonBytes: spec.maxJsonBytes ?? MAX_JSON_BYTES,
    jsonBounds: spec.jsonBounds ?? JSON_BOUNDS,
    answer: spec.answer ?? null,
    statuses: typeof status === 'number' ? [status] : status.oneOf,
    showsSecret: spec.showsSecret ?? false,
    noteRefusal: spec.noteRefusal ?? null,
    async run(context, input) {
      const typed = input as RouteInput<z.output<Params>, z.output<Query>, z.output<Body>>;
      const work = () => spec.run(context.call, typed, context.app);
      const result = await (spec.faultNames ? renameFaults(spec.faultNames, work) : work());
      const decided = typeof status === 'number' ? status : status.of(result);
      return { status: decided, body: decided === 204 ? undefined : spec.render?.(result, context) };
    },
  };
}

function checkParams(
  { method, path, bucket, where }: Pick<Route, 'method' | 'path' | 'bucket'> & { where: { by: string } | string },
  names: string[],
): void {
  const meant = [...bucket.major, ...(typeof where === 'string' ? [] : [where.by])];
  const missing = meant.find((name) => !names.includes(name));
  if (missing !== undefined) throw new Error(`${method} ${path}: the path has no parameter ${missing}`);
}
