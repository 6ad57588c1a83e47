import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { countedAs, takeLimit } from '../domain/rate-limits.js';
import { requireCaller, unauthenticated } from './credentials.js';
import { type RestError, renderRestError } from './errors.js';
import type { Matched } from './match.js';
import { type LimitVerdict, RequestLimits } from './rate-limiting.js';
import type { RestRequest } from './request.js';
import type { Route } from './route.js';
import { type Claim, type Scheme, type Shown, schemesFor, type Use } from './schemes.js';

export interface Admission {
  /** Rate-limit key. */
  caller: string;
  headers: Record<string, string>;
  outcome: { actor: Actor } | { refusal: RestError };
}

const ANONYMOUS: Actor = { kind: 'anonymous' };

/** Authenticates requests and counts them per caller, or per IP address if there is no valid credential. */
export class Admissions {
  readonly #limits: RequestLimits;
  readonly #schemesOf: Map<Route, readonly Scheme[]>;

  /** @throws Error if no scheme supports a row's caller */
  constructor(
    private readonly app: AppContext,
    rows: readonly Route[],
    schemes: readonly Scheme[],
  ) {
    this.#limits = new RequestLimits(app);
    this.#schemesOf = new Map(rows.map((row) => [row, schemesFor(row.callers, schemes)]));
  }

  /** @throws errors that prevent the credential check */
  async admit(matched: Matched, request: RestRequest): Promise<Admission> {
    const { actor, fault } = await this.#identify(matched, request);
    const caller = countedAs(actor, request);
    const verdict = (await this.#limits.isShutOut(caller)) ?? (await this.#count(matched, caller, fault));
    const refusal = verdict.refusal ?? refusalOf(fault) ?? refusalOf(unwelcome(matched.row, actor));
    return { caller, headers: verdict.headers, outcome: refusal ? { refusal } : { actor } };
  }

  /** Call this for rejected requests too. */
  noteAnswer({ caller }: Admission, status: number): Promise<void> {
    return this.#limits.noteAnswer(caller, status);
  }

  /** A missing or bad credential returns an anonymous actor plus `fault`, which public routes ignore. */
  async #identify(matched: Matched, request: RestRequest): Promise<{ actor: Actor; fault?: unknown }> {
    try {
      return { actor: await this.#authenticate(matched, request) };
    } catch (fault) {
      const isForEverybody = matched.row.callers.length === 0 && fault instanceof DomainError;
      return isForEverybody ? { actor: ANONYMOUS } : { actor: ANONYMOUS, fault };
    }
  }

  /** @throws UNAUTHENTICATED without a credential, or the reason of its rejection */
  async #authenticate({ row, params }: Matched, request: RestRequest): Promise<Actor> {
    const shown: Shown = {
      headers: request.headers,
      params,
      get address() {
        return request.address;
      },
    };
    for (const scheme of this.#schemesOf.get(row) ?? []) {
      const claim = scheme.claim(shown, row.callers);
      if (claim) return this.#check(claim, request);
    }
    throw unauthenticated();
  }

  /**
   * Applies limits before an expensive check, and skips the check for a blocked address. Cheap checks have no limits,
   * so a valid credential works from any address.
   */
  async #check({ limits, authenticate }: Claim, request: RestRequest): Promise<Actor> {
    if (limits.length === 0) return authenticate();
    if (await this.#limits.isShutOut(countedAs(ANONYMOUS, request))) throw unauthenticated();
    const taken: Use[] = [];
    try {
      for (const use of limits) {
        await takeLimit(this.app, use.limit, use.key);
        taken.push(use);
      }
      const actor = await authenticate();
      await this.#giveBack(taken);
      return actor;
    } catch (fault) {
      if (!isFailure(fault)) await this.#giveBack(taken);
      throw fault;
    }
  }

  async #giveBack(uses: readonly Use[]): Promise<void> {
    for (const { limit, key, counts } of uses) if (counts === 'failures') await this.app.limits.giveBack(limit, key);
  }

  /** Without a valid credential, only the overall limit counts. */
  async #count({ row, params }: Matched, caller: string, fault: unknown): Promise<LimitVerdict> {
    if (fault === undefined) return this.#limits.take(row.bucket, caller, params);
    return fault instanceof DomainError ? this.#limits.takeOverall(caller) : { headers: {} };
  }
}

/** A credential that could not be checked is not a failure. */
function isFailure(fault: unknown): boolean {
  return fault instanceof DomainError && fault.code !== 'RATE_LIMITED' && fault.code !== 'OVERLOADED';
}

function unwelcome({ callers }: Route, actor: Actor): unknown {
  try {
    requireCaller(callers, actor);
    return undefined;
  } catch (refusal) {
    return refusal;
  }
}

/** @throws fault if it has no REST rendering */
function refusalOf(fault: unknown): RestError | null {
  if (fault === undefined) return null;
  const refusal = renderRestError(fault);
  if (!refusal) throw fault;
  return refusal;
}
