import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import type { Scope } from '../domain/installations/index.js';
import type { UploadedFile } from '../domain/messages/index.js';
import type { Limit } from '../infra/rate-limits.js';

const ANYTHING = z.unknown();

/** The most a JSON body may be where the row does not say otherwise, in bytes. */
const MAX_JSON_BYTES = 1024 * 1024;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route: a bot, a person with a portal session, or an OAuth2 token that has a scope (`token` for any token).
 */
export type Caller = 'bot' | 'session' | 'token' | { scope: Scope };

/** A rate-limit bucket: routes that name the same one share it, for each caller and each `major` id in the path. */
export interface Bucket {
  limit: Limit;
  /** The path parameter that divides the bucket, such as `channelId`. */
  major?: string;
}

/** A request, parsed. */
export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  files: UploadedFile[];
}

/** What renderers need beside the result. */
export interface RenderContext {
  app: AppContext;
  call: CallContext;
}

/** One row of the table: everything about a route that is not the work itself. */
export interface Route {
  method: HttpMethod;
  /** With parameters as `:name`, relative to `{base_url}`. */
  path: string;
  /** Nobody stands for everybody: the route asks for no credential. */
  callers: readonly Caller[];
  bucket: Bucket;
  params: z.ZodType<Record<string, unknown>>;
  query: z.ZodType;
  body: z.ZodType | null;
  /** For a body that may be multipart with files: whether the caller may send them at all, asked before they are received. */
  admitFiles: ((call: CallContext, params: Record<string, unknown>) => Promise<void>) | null;
  /** The most a JSON body may be, in bytes. */
  maxJsonBytes: number;
  /** The status of success; 204 has no body. */
  status: 200 | 201 | 204;
  /** Whether the answer shows a secret, so that nothing on its way may store it. */
  showsSecret: boolean;
  /** Does the work and renders its result. */
  run(context: RenderContext, input: RouteInput<unknown, unknown, unknown>): Promise<unknown>;
}

interface RouteSpec<
  Params extends z.ZodType<Record<string, unknown>>,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Result,
> {
  method: HttpMethod;
  path: string;
  /** Nobody stands for everybody: the route asks for no credential. */
  callers: readonly Caller[];
  bucket: Bucket;
  params: Params;
  query?: Query;
  body?: Body;
  /** Whether the caller may send files at all, asked before they are received; without it the body is JSON only. */
  admitFiles?(call: CallContext, params: z.output<Params>): Promise<void>;
  maxJsonBytes?: number;
  status?: 200 | 201 | 204;
  showsSecret?: boolean;
  /** The domain function that does it. */
  run(
    call: CallContext,
    input: RouteInput<z.output<Params>, z.output<Query>, z.output<Body>>,
    app: AppContext,
  ): Promise<Result>;
  /** The wire renderer of its result; without one the answer has no body. */
  render?(result: Result, context: RenderContext): unknown;
}

/** States a row of the table, with the parts left out that it does not need. */
export function route<
  Params extends z.ZodType<Record<string, unknown>>,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Result,
>(spec: RouteSpec<Params, Query, Body, Result>): Route {
  return {
    method: spec.method,
    path: spec.path,
    callers: spec.callers,
    bucket: spec.bucket,
    params: spec.params,
    query: spec.query ?? ANYTHING,
    body: spec.body ?? null,
    admitFiles: spec.admitFiles ? async (call, params) => spec.admitFiles?.(call, params as z.output<Params>) : null,
    maxJsonBytes: spec.maxJsonBytes ?? MAX_JSON_BYTES,
    showsSecret: spec.showsSecret ?? false,
    status: spec.status ?? (spec.render ? 200 : 204),
    async run(context, input) {
      const typed = input as RouteInput<z.output<Params>, z.output<Query>, z.output<Body>>;
      const result = await spec.run(context.call, typed, context.app);
      return spec.render?.(result, context);
    },
  };
}
