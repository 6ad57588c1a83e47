import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { nameOf } from '../domain/rate-limits.js';
import { CORS_HEADERS, PREFLIGHT_HEADERS, preflightMethod } from '../http/cors.js';
import { type Admission, Admissions } from './admit.js';
import { type Directory, locate } from './locate.js';
import { type Matched, RouteTable } from './match.js';
import { callFor, faultAnswer, perform } from './perform.js';
import { errorAnswer, type RestAnswer, type RestRequest } from './request.js';
import type { Route } from './route.js';
import type { Scheme } from './schemes.js';

export interface InterpreterParts {
  rows: readonly Route[];
  pathsWithoutMethods?: readonly string[];
  schemes: readonly Scheme[];
  directory: Directory;
}

/** Runs each request in four stages: match, admit, locate, perform. */
export class Interpreter {
  readonly table: RouteTable;
  readonly #admissions: Admissions;
  readonly #directory: Directory;

  /** @throws Error if rows contradict each other */
  constructor(
    private readonly app: AppContext,
    { rows, pathsWithoutMethods, schemes, directory }: InterpreterParts,
  ) {
    this.table = new RouteTable(rows, pathsWithoutMethods);
    this.#admissions = new Admissions(app, rows, schemes);
    this.#directory = directory;
  }

  /** Adds CORS headers, except for rows that accept the session cookie. */
  async answer(request: RestRequest): Promise<RestAnswer> {
    const { method, headers } = request;
    if (headers.origin === undefined) return this.#answer(request);
    const preflight = preflightMethod(method, headers);
    const matched = this.table.match({ path: request.path, method: preflight ?? method });
    if ('row' in matched && readsCookies(matched.row)) return this.#answer(request);
    if (preflight !== undefined) return { status: 204, headers: PREFLIGHT_HEADERS, body: null };
    return withHeaders(await this.#answer(request), CORS_HEADERS);
  }

  async #answer(request: RestRequest): Promise<RestAnswer> {
    const matched = this.table.match(request);
    if (!('row' in matched)) {
      this.app.metrics.requests.observe({ face: 'rest', route: 'none', status: matched.status }, 0);
      return matched;
    }
    const { row } = matched;
    if (request.trace) request.trace.route = row.path;
    const finish = this.app.metrics.requests.startTimer({ face: 'rest', route: `${row.method} ${row.path}` });
    const answer = await this.#admitted(matched, request).catch((fault: unknown) =>
      faultAnswer(this.app, request, fault),
    );
    finish({ status: answer.status });
    return row.showsSecret ? withHeaders(answer, { 'cache-control': 'no-store' }) : answer;
  }

  async #admitted(matched: Matched, request: RestRequest): Promise<RestAnswer> {
    const began = this.app.connectionClock.now();
    const admission = await this.#admissions.admit(matched, request);
    request.admissionMs = Math.max(0, this.app.connectionClock.now() - began);
    const answer = await this.#outcome(admission, matched, request);
    if (!answer.isOfBox) await this.#admissions.noteAnswer(admission, answer.status);
    return withHeaders(answer, admission.headers);
  }

  async #outcome({ outcome }: Admission, matched: Matched, request: RestRequest): Promise<RestAnswer> {
    if ('refusal' in outcome) return errorAnswer(outcome.refusal);
    try {
      return await this.#run(matched, request, outcome.actor);
    } catch (fault) {
      return faultAnswer(this.app, request, fault);
    }
  }

  async #run(matched: Matched, request: RestRequest, actor: Actor): Promise<RestAnswer> {
    if (request.trace) request.trace.who = nameOf(actor);
    const elsewhere = await locate({ app: this.app, directory: this.#directory }, matched, request, actor);
    return elsewhere ?? perform(this.app, matched, request, callFor(this.app, request, actor));
  }
}

function readsCookies({ callers }: Route): boolean {
  return callers.includes('session');
}

function withHeaders(answer: RestAnswer, headers: Record<string, string>): RestAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
