import { GatewayOpcodes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { FaultSeed } from '../protocol.js';

const MAX_MS = 10 * 60_000;

const ms = z.int().min(0).max(MAX_MS);

const Period = {
  forMs: ms.optional().describe('The rule ends after this time. Default: when it is removed.'),
};

const application = z.string().optional().describe('Only for this application. Default: all of the world.');

const Occasion = {
  ...Period,
  nth: z.int().min(1).optional(),
  every: z.int().min(1).optional(),
  from: z.int().min(1).optional(),
  to: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional().describe('For `probability`: the same seed gives the same sequence.'),
  application,
};

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

const GuildRule = z.strictObject({
  ...Period,
  guild: z.string(),
  effect: z.strictObject({ type: z.literal('unavailable') }),
});

const IdentifyRule = z.strictObject({
  ...Period,
  application,
  identify: z.literal(true),
  effect: z.strictObject({ type: z.literal('budgetUsedUp') }),
});

const BoxRule = z
  .strictObject({
    ...Occasion,
    box: z.literal(true),
    effect: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('offline') }),
      z.strictObject({ type: z.literal('delay'), ms }),
      z.strictObject({ type: z.literal('answerLost') }),
    ]),
  })
  .refine(
    ({ effect, box: _box, forMs: _forMs, ...occasion }) =>
      effect.type !== 'offline' || Object.values(occasion).every((value) => value === undefined),
    'The box is offline for all bots until the rule ends: set only forMs.',
  );

export const PresetRule = z.strictObject({
  ...Period,
  preset: z.enum(['flakyNetwork', 'rateLimited', 'rollingRestart', 'outage']),
  application,
  seed: z.int().min(0).default(1),
});

/** By the field that only this kind has. */
const KINDS: Readonly<Record<string, z.ZodType>> = {
  route: RestRule,
  endpoint: EndpointRule,
  guild: GuildRule,
  identify: IdentifyRule,
  box: BoxRule,
};

/** A field decides the kind, so that errors concern only that kind. */
export const FaultRule: z.ZodType<FaultSeed> = z
  .unknown()
  .transform((given, checks) => {
    const [, kind = GatewayRule] = Object.entries(KINDS).find(([field]) => isObject(given) && field in given) ?? [];
    const parsed = kind.safeParse(given, { reportInput: true });
    if (parsed.success) return parsed.data as FaultSeed;
    for (const issue of parsed.error.issues) checks.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({
    shownAs: { anyOf: [GatewayRule, ...Object.values(KINDS)].map((rule) => z.toJSONSchema(rule, { io: 'input' })) },
  });

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null;
}
