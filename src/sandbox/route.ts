import type { z } from 'zod';
import type { Sandbox } from './sandbox.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteRequest<Body, Query> {
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  /** Aborted when the client closes the connection before the answer. */
  gone: AbortSignal;
  /** @param line of `Set-Cookie` */
  setCookie(line: string): void;
}

/** An answer that is not JSON. */
export class TextAnswer {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** A row of the control API, below `/sandbox`. */
export interface Route {
  method: Method;
  /** With parameters such as `:world`. */
  path: string;
  summary: string;
  body: z.ZodType | null;
  query: z.ZodType | null;
  /** Of its answer. */
  contentTypes: readonly string[];
  /** For an action of a person, its line in the transcript. */
  action: ((body: never) => string) | null;
  /** Undefined for an answer without content. */
  run(sandbox: Sandbox, request: RouteRequest<never, never>): Promise<object | undefined>;
}

interface RouteDefinition<Body extends z.ZodType, Query extends z.ZodType> {
  summary: string;
  body?: Body;
  query?: Query;
  contentTypes?: readonly string[];
  action?: (body: z.output<Body>) => string;
  run(
    sandbox: Sandbox,
    request: RouteRequest<z.output<Body>, z.output<Query>>,
  ): Promise<object | undefined> | object | undefined;
}

/** @param address such as `GET /worlds/:world` */
export function route<Body extends z.ZodType = z.ZodNever, Query extends z.ZodType = z.ZodNever>(
  address: `${Method} /${string}`,
  { summary, body, query, contentTypes = ['application/json'], action, run }: RouteDefinition<Body, Query>,
): Route {
  const [method, path = ''] = address.split(' ') as [Method, string];
  return {
    method,
    path,
    summary,
    body: body ?? null,
    query: query ?? null,
    contentTypes,
    action: action ?? null,
    run: async (sandbox, request) => run(sandbox, request),
  };
}
