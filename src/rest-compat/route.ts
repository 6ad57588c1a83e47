import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import { type DomainError, type ErrorCode, renameFaults } from '../domain/errors.js';
import type { Scope } from '../domain/installations/index.js';
import type { UploadedFile } from '../domain/messages/index.js';
import { JSON_BOUNDS, type JsonBounds } from '../infra/bounded-json.js';
import type { Limit } from '../infra/rate-limits.js';
import type { RestAnswer } from './request.js';

const ANYTHING = z.unknown();

/** The most a JSON body may be where the row does not say otherwise, in bytes. */
const MAX_JSON_BYTES = 1024 * 1024;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route: a bot, a person with a portal session, an OAuth2 token (`token` for any, or one that has a scope), or whoever
 * has the token of a webhook or an interaction that stands in the path.
 */
export type Caller = CallerKind | { scope: Scope };

export type CallerKind = 'bot' | 'session' | 'token' | 'webhookToken' | 'interactionToken';

/** A rate-limit bucket: routes that name the same one share it, for each caller and what stands in the path for `major`. */
export interface Bucket {
  limit: Limit;
  /** The path parameters that divide the bucket, such as `channelId`. */
  major: readonly string[];
  /** What a refusal says, where the reference platform has words of its own for it. */
  refusal?: { code: number; message: string };
}

/** The row concerns what the cloud keeps, and runs there. */
export const CLOUD = 'cloud';

/**
 * What a request gets whose target is on a self-hosted server (service description, section 4): `inCloud` is performed here, over what the cloud
 * keeps of such servers, and `notFound` is "not routed".
 */
export type SelfHosted = 'forward' | 'inCloud' | 'notFound' | 'notImplemented';

/** The path parameters that tell on which server a row runs. */
export type TargetParam = 'guildId' | 'channelId' | 'webhookId';

/** Where a row runs: in the cloud, or where its target lives. */
export type Where<Body = unknown> = typeof CLOUD | WhereTargetIs<Body>;

interface WhereTargetIs<Body> {
  by: TargetParam;
  selfHosted: SelfHosted | ((body: Body) => SelfHosted);
  /** The refusal of a self-hosted server that says that nothing is left to be done, and is answered 204. */
  isDoneIf?: ErrorCode;
  /** What the cloud looks at before it forwards, since no box knows of it. */
  beforeForward?(call: CallContext): Promise<void>;
  /** What the cloud notes once the box has done it. */
  afterForward?(call: CallContext): void;
  /** What else there is to say of self-hosted servers, to who reads which routes work there. */
  note?: string;
  /**
   * The body that a box is sent instead, at the path without its last segment, for one in another service's format; null if nothing is sent.
   * The row's `answer` is what is answered if the box took it, or was sent nothing.
   */
  forwardAs?(body: Body, headers: IncomingHttpHeaders): object | null;
  /** Whether it is about webhooks, which are not found on self-hosted servers where the instance says so (`SELF_HOSTED_WEBHOOKS`). */
  isOfWebhooks?: boolean;
}

/** Where the target lives, with the same answer on a self-hosted server as in the cloud. */
export function onServerOf(by: TargetParam): { by: TargetParam; selfHosted: 'forward' } {
  return { by, selfHosted: 'forward' };
}

/** The statuses of success; 204 has no body. */
export type Success = 200 | 201 | 204;

/** Where the status depends on the result: those it may be, and which it is. */
export interface StatusByResult<Result> {
  oneOf: readonly Success[];
  of(result: Result): Success;
}

/** What stands in a path for its parameters, decoded. */
export type PathParams = Readonly<Record<string, string>>;

/** A request, parsed. */
export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  files: UploadedFile[];
  headers: IncomingHttpHeaders;
}

/** What renderers need beside the result. */
export interface RenderContext {
  app: AppContext;
  call: CallContext;
}

/** What a row made of a request; `body` is undefined where the answer has none. */
export interface Outcome {
  status: Success;
  body: unknown;
}

/** One row of the table: everything about a route that is not the work itself. It knows no server. */
export interface Route {
  method: HttpMethod;
  /** With parameters as `:name`, relative to `{base_url}`. */
  path: string;
  /** The parameters of the path, in its order. */
  paramNames: readonly string[];
  /** Nobody stands for everybody: the route asks for no credential. */
  callers: readonly Caller[];
  bucket: Bucket;
  where: Where;
  params: z.ZodType<Record<string, unknown>>;
  query: z.ZodType;
  /** In wire names; null for a row without one. */
  body: z.ZodType | null;
  /** The schema in place of `body`, where it depends on the settings of the instance; null for the same everywhere. */
  bodyFor: ((call: CallContext) => z.ZodType) | null;
  /** Whether the body is parsed in turns, by a schema that lets others have theirs. */
  isParsedInTurns: boolean;
  /** For a body that may be multipart with files: whether the caller may send them at all, asked before they are received. */
  admitFiles: ((call: CallContext, params: Record<string, unknown>) => Promise<void>) | null;
  /** The most a JSON body may be, in bytes. */
  maxJsonBytes: number;
  /** How deep a JSON body may nest, and how many values it may have. */
  jsonBounds: JsonBounds;
  /** What every success is answered, whatever came of it; null where the result is rendered. */
  answer: RestAnswer | null;
  /** The statuses of success, one or those that the result decides between. */
  statuses: readonly Success[];
  /** Whether the answer shows a secret, so that nothing on its way may store it. */
  showsSecret: boolean;
  /** Told of a refusal, for a row whose callers are shown later why they were refused; null for the others. */
  noteRefusal: ((call: CallContext, refusal: DomainError) => Promise<void>) | null;
  /** Does the work and renders its result. */
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
  /** Nobody stands for everybody: the route asks for no credential. */
  callers: readonly Caller[];
  bucket: Bucket;
  where: Where<z.output<Body>>;
  params: Params;
  query?: Query;
  /** In wire names. */
  body?: Body;
  /** The schema in place of `body`, which is how the body is documented, where it depends on the settings of the instance. */
  bodyFor?(call: CallContext): Body;
  /** Whether the body is parsed in turns, by a schema that lets others have theirs. */
  isParsedInTurns?: boolean;
  /** Where the body has what the domain's rules name otherwise in their faults, such as `appName` for `app_name`. */
  faultNames?: Readonly<Record<string, string>>;
  /** Whether the caller may send files at all, asked before they are received; without it the body is JSON only. */
  admitFiles?(call: CallContext, params: z.output<Params>): Promise<void>;
  maxJsonBytes?: number;
  /** `JSON_BOUNDS` unless stated. */
  jsonBounds?: JsonBounds;
  /** 200 unless stated, or 204 for a row without a renderer. */
  status?: Success | StatusByResult<Result>;
  /** What every success is answered, in place of a status and a renderer. */
  answer?: RestAnswer & { status: Success };
  showsSecret?: boolean;
  /** Told of whatever is refused once the caller is known, a body that cannot be used included. */
  noteRefusal?(call: CallContext, refusal: DomainError): Promise<void>;
  /** The domain function that does it. */
  run(
    call: CallContext,
    input: RouteInput<z.output<Params>, z.output<Query>, z.output<Body>>,
    app: AppContext,
  ): Promise<Result>;
  /** The wire renderer of its result; without one the answer has no body, and a 204 has none either. */
  render?(result: Result, context: RenderContext): unknown;
}

/** States a row of the table, with the parts left out that it does not need. @throws Error for a row that contradicts itself */
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

/** What divides a bucket or tells where the row runs stands in its path. */
function checkParams(
  { method, path, bucket, where }: Pick<Route, 'method' | 'path' | 'bucket'> & { where: { by: string } | string },
  names: string[],
): void {
  const meant = [...bucket.major, ...(typeof where === 'string' ? [] : [where.by])];
  const missing = meant.find((name) => !names.includes(name));
  if (missing !== undefined) throw new Error(`${method} ${path}: there is no parameter ${missing}`);
}
