import { GatewayOpcodes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { EndpointFault, FaultDescription, FaultSeed, GatewayFault, RestFault } from '../protocol.js';

const MAX_MS = 10 * 60_000;

const Occasion = {
  nth: z.int().min(1).optional(),
  every: z.int().min(1).optional(),
  from: z.int().min(1).optional(),
  to: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional().describe('For `probability`: the same seed gives the same sequence.'),
  application: z.string().optional().describe('Only for this application. Default: all of the world.'),
};

const ms = z.int().min(0).max(MAX_MS);

const RestRule = z.strictObject({
  ...Occasion,
  route: z
    .string()
    .regex(
      /^(GET|POST|PUT|PATCH|DELETE|\*) \/\S*$/,
      'Such as "POST /channels/:id/messages", or "* /" for every request.',
    ),
  effect: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('status'),
      status: z.int().min(400).max(599),
      body: z.looseObject({}).optional(),
    }),
    z.strictObject({ type: z.literal('delay'), ms }),
    z.strictObject({ type: z.literal('hang') }),
    z.strictObject({ type: z.literal('reset') }),
    z.strictObject({ type: z.literal('cut') }),
    z.strictObject({ type: z.literal('rateLimit'), scope: z.enum(['user', 'global', 'shared']), retryAfterMs: ms }),
  ]),
});

const CONNECTION_EFFECTS = [
  z.strictObject({ type: z.literal('close'), code: z.int().min(1000).max(4999) }),
  z.strictObject({ type: z.literal('reconnect') }),
  z.strictObject({ type: z.literal('invalidSession'), resumable: z.boolean() }),
] as const;

export const ConnectionRule = z.discriminatedUnion('type', CONNECTION_EFFECTS);

const GatewayRule = z
  .strictObject({
    ...Occasion,
    event: z.string().optional(),
    opcode: z.int().min(0).max(99).optional(),
    effect: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('drop') }),
      z.strictObject({ type: z.literal('duplicate') }),
      z.strictObject({ type: z.literal('delay'), ms }),
      z.strictObject({ type: z.literal('reorder'), count: z.int().min(1).max(1_000) }),
      z.strictObject({ type: z.literal('heartbeatInterval'), ms: ms.min(10) }),
      ...CONNECTION_EFFECTS,
    ]),
  })
  .refine(({ event, opcode }) => (event === undefined) !== (opcode === undefined), 'Set either event or opcode.')
  .refine(
    ({ opcode, effect }) => effect.type !== 'heartbeatInterval' || opcode === GatewayOpcodes.Hello,
    'Only HELLO has a heartbeat interval: set opcode to 10.',
  );

const EndpointRule = z.strictObject({
  ...Occasion,
  endpoint: z.literal(true),
  effect: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('delay'), ms }),
    z.strictObject({ type: z.literal('twice') }),
    z.strictObject({ type: z.literal('badSignature') }),
  ]),
});

/** A field decides the kind, so that errors concern only that kind. */
export const FaultRule: z.ZodType<FaultSeed> = z
  .unknown()
  .transform((given, checks) => {
    const kind =
      isObject(given) && 'route' in given
        ? RestRule
        : isObject(given) && 'endpoint' in given
          ? EndpointRule
          : GatewayRule;
    const parsed = kind.safeParse(given, { reportInput: true });
    if (parsed.success) return parsed.data as FaultSeed;
    for (const issue of parsed.error.issues) checks.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({
    shownAs: { anyOf: [RestRule, GatewayRule, EndpointRule].map((rule) => z.toJSONSchema(rule, { io: 'input' })) },
  });

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null;
}

interface Rule {
  id: string;
  rule: FaultSeed;
  seen: number;
  applied: number;
  random: () => number;
}

/** The faults of a world. */
export class Faults {
  #rules: Rule[] = [];
  #created = 0;

  add(rule: FaultSeed): FaultDescription {
    this.#created += 1;
    const added = { id: String(this.#created), rule, seen: 0, applied: 0, random: sequence(rule.seed ?? 1) };
    this.#rules.push(added);
    return describe(added);
  }

  list(): FaultDescription[] {
    return this.#rules.map(describe);
  }

  /** @returns false if there is no such rule */
  delete(id: string): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
    return this.#rules.length < before;
  }

  clear(): void {
    this.#rules = [];
  }

  onRequest(application: string | null, method: string, path: string): RestFault['effect'] | null {
    return this.#effect(application, (rule): rule is RestFault => 'route' in rule && isRoute(rule.route, method, path));
  }

  onPayload(application: string | null, { op, t }: { op: number; t?: string | null }): GatewayFault['effect'] | null {
    const isSame = (rule: FaultSeed): rule is GatewayFault =>
      !('route' in rule) && !('endpoint' in rule) && (rule.event === undefined ? rule.opcode === op : rule.event === t);
    return this.#effect(application, isSame);
  }

  onPost(application: string): EndpointFault['effect'] | null {
    return this.#effect(application, (rule): rule is EndpointFault => 'endpoint' in rule);
  }

  /** Counts the occasion for every rule that matches. The first one that is due applies. */
  #effect<Fault extends FaultSeed>(
    application: string | null,
    matches: (rule: FaultSeed) => rule is Fault,
  ): Fault['effect'] | null {
    let effect: Fault['effect'] | null = null;
    for (const one of this.#rules) {
      const { rule } = one;
      if (!matches(rule) || (rule.application !== undefined && rule.application !== application)) continue;
      one.seen += 1;
      if (effect !== null || !isDue(one)) continue;
      one.applied += 1;
      effect = rule.effect;
    }
    return effect;
  }
}

function describe({ id, rule, seen, applied }: Rule): FaultDescription {
  return { id, rule, seen, applied };
}

function isDue({
  rule: { nth, every, from = 1, to = Number.POSITIVE_INFINITY, probability },
  seen,
  random,
}: Rule): boolean {
  if (nth !== undefined && seen !== nth) return false;
  if (every !== undefined && seen % every !== 0) return false;
  if (seen < from || seen > to) return false;
  return probability === undefined || random() < probability;
}

/** @param route such as `POST /channels/:id/messages`; `* /` for every request */
function isRoute(route: string, method: string, path: string): boolean {
  const [wantedMethod, wantedPath = '/'] = route.split(' ');
  if (wantedMethod !== '*' && wantedMethod !== method) return false;
  if (wantedPath === '/') return true;
  const [wanted, given] = [segmentsOf(wantedPath), segmentsOf(path)];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** A linear congruential generator with the constants of Numerical Recipes: 0 to below 1. */
function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
