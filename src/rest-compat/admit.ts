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

/** What is known of a request once its credential and its limits were looked at. */
export interface Admission {
  /** By whom it counts. */
  caller: string;
  /** How the caller stands with the limits. */
  headers: Record<string, string>;
  /** Who calls, or why the request is refused. */
  outcome: { actor: Actor } | { refusal: RestError };
}

const ANONYMOUS: Actor = { kind: 'anonymous' };

/** Tells who calls, and counts it: for the caller where the credential is good, and else for the address. */
export class Admissions {
  readonly #limits: RequestLimits;
  readonly #schemesOf: Map<Route, readonly Scheme[]>;

  /** @throws Error for a row with a caller whom no scheme recognises */
  constructor(
    private readonly app: AppContext,
    rows: readonly Route[],
    schemes: readonly Scheme[],
  ) {
    this.#limits = new RequestLimits(app);
    this.#schemesOf = new Map(rows.map((row) => [row, schemesFor(row.callers, schemes)]));
  }

  /** @throws whatever keeps a credential from being checked, such as an outage */
  async admit(matched: Matched, request: RestRequest): Promise<Admission> {
    const { actor, fault } = await this.#identify(matched, request);
    const caller = countedAs(actor, request);
    const verdict = (await this.#limits.isShutOut(caller)) ?? (await this.#count(matched, caller, fault));
    const refusal = verdict.refusal ?? refusalOf(fault) ?? refusalOf(unwelcome(matched.row, actor));
    return { caller, headers: verdict.headers, outcome: refusal ? { refusal } : { actor } };
  }

  /** Notes what an admitted or refused request was answered. */
  noteAnswer({ caller }: Admission, status: number): Promise<void> {
    return this.#limits.noteAnswer(caller, status);
  }

  /** Who calls. Somebody whose credential is refused is nobody known, and `fault` says what is wrong with it. */
  async #identify(matched: Matched, request: RestRequest): Promise<{ actor: Actor; fault?: unknown }> {
    try {
      return { actor: await this.#authenticate(matched, request) };
    } catch (fault) {
      const isForEverybody = matched.row.callers.length === 0 && fault instanceof DomainError;
      return isForEverybody ? { actor: ANONYMOUS } : { actor: ANONYMOUS, fault };
    }
  }

  /** @throws what the credential is refused with, or the want of one */
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
   * What can be counted without knowing the caller is counted before the check. An address that is not listened to gets no check that
   * costs; a credential whose check does not is good wherever it is shown (decisions 104).
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

  /** Counts a request against its limits; what is refused for its credential, or for want of one, against the one over all. */
  async #count({ row, params }: Matched, caller: string, fault: unknown): Promise<LimitVerdict> {
    if (fault === undefined) return this.#limits.take(row.bucket, caller, params);
    return fault instanceof DomainError ? this.#limits.takeOverall(caller) : { headers: {} };
  }
}

/** Whether a credential was found to be bad; one that could not be checked was not. */
function isFailure(fault: unknown): boolean {
  return fault instanceof DomainError && fault.code !== 'RATE_LIMITED' && fault.code !== 'OVERLOADED';
}

/** Why a row does not take somebody whose credential is good; undefined where it does. */
function unwelcome({ callers }: Route, actor: Actor): unknown {
  try {
    requireCaller(callers, actor);
    return undefined;
  } catch (refusal) {
    return refusal;
  }
}

/** @throws fault that is no refusal */
function refusalOf(fault: unknown): RestError | null {
  if (fault === undefined) return null;
  const refusal = renderRestError(fault);
  if (!refusal) throw fault;
  return refusal;
}
