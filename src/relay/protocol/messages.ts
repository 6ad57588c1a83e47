import { z } from 'zod';
import type { JsonBounds } from '../../infra/network/bounded-json.js';
import { snowflake } from './ids.js';

/** Best first (docs/relay.md, R-11). */
export const VERSIONS: readonly number[] = [1];

export const FEATURES: readonly string[] = [];

/** */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** */
export const MESSAGE_BOUNDS: JsonBounds = { depth: 64, values: 10_000 };

/** Suffices for many members, or for a guild with all its channels. */
export const ANSWER_BOUNDS: JsonBounds = { depth: 64, values: 200_000 };

/**
 * Suffices for the largest events of this platform: a reply at all limits, and a guild with all its roles and
 * emojis.
 */
export const MAX_DISPATCH_BYTES = 256 * 1024;

/** */
export const MAX_PIECE_BYTES = 65_536;

/** */
const MAX_OPEN_REQUESTS = 1_024;
const MAX_CREDIT_BYTES = 64 * 1024 * 1024;

/** Events that a box may send (R-34; service description, section 6). */
export const DISPATCHED = [
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
  'MESSAGE_DELETE_BULK',
  'MESSAGE_REACTION_ADD',
  'MESSAGE_REACTION_REMOVE',
  'MESSAGE_REACTION_REMOVE_ALL',
  'MESSAGE_REACTION_REMOVE_EMOJI',
  'CHANNEL_CREATE',
  'CHANNEL_UPDATE',
  'CHANNEL_DELETE',
  'CHANNEL_PINS_UPDATE',
  'GUILD_UPDATE',
  'GUILD_MEMBER_ADD',
  'GUILD_MEMBER_REMOVE',
  'GUILD_MEMBER_UPDATE',
  'GUILD_BAN_ADD',
  'GUILD_BAN_REMOVE',
  'GUILD_ROLE_CREATE',
  'GUILD_ROLE_UPDATE',
  'GUILD_ROLE_DELETE',
  'TYPING_START',
  'VOICE_STATE_UPDATE',
] as const;

export type DispatchedName = (typeof DISPATCHED)[number];

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const streamId = z.number().int().min(1).max(0xffff_ffff);
const milliseconds = z.number().int().min(0).max(86_400_000);
const status = z.number().int().min(100).max(999);
const texts = z.record(z.string(), z.string());
const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const name = z.string().max(200);
const credit = z.number().int().min(MAX_PIECE_BYTES).max(MAX_CREDIT_BYTES);
const ids = z.array(snowflake).max(10_000);

/** Its handler validates it later. */
const freeObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is not an object',
);

function bytes(length: number) {
  return z.base64url().transform((text, context) => {
    const value = Buffer.from(text, 'base64url');
    if (value.length === length) return value;
    context.addIssue({ code: 'custom', message: `is not ${length} bytes` });
    return z.NEVER;
  });
}

/** The fields that the relay uses. */
export const UserObject = z.object({
  id: snowflake,
  username: z.string().max(200),
  global_name: z.string().max(200).nullish(),
  avatar: z.string().max(200).nullish(),
  bot: z.boolean().optional(),
});

/** */
export const BotIdentity = z.object({ user: UserObject, application_id: snowflake, message_content: z.boolean() });

/** In UTF-16 units. */
export const MAX_REPEATED_OP = 200;

/** Either end may send these at any time. */
export const UpkeepMessage = z.discriminatedUnion('op', [
  z.object({ op: z.literal('ping'), t: z.number() }),
  z.object({ op: z.literal('pong'), t: z.number() }),
  z.object({ op: z.literal('unknown'), was: z.string().max(MAX_REPEATED_OP).optional() }),
  z.object({ op: z.literal('credit'), id: z.union([z.literal(0), streamId]), bytes: count }),
]);

/** */
const GOING_AWAY = z.object({ op: z.literal('going_away'), retry_after_ms: milliseconds });

export const BoxMessage = z.discriminatedUnion('op', [
  GOING_AWAY,
  z.object({
    op: z.literal('hello'),
    versions: z.array(z.number()).max(100),
    features: z.array(name).max(100).default([]),
    software: name.default(''),
    key: bytes(32),
    token: z.string().max(200).optional(),
    id_space: z.number().int().optional(),
    instance: name.default(''),
  }),
  z.object({ op: z.literal('proof'), signature: bytes(64) }),
  z.object({
    op: z.literal('response'),
    id: streamId,
    status,
    headers: texts.default({}),
    body: count,
    took_ms: z.number().optional(),
  }),
  z.object({ op: z.literal('cancelled'), id: streamId }),
  z.object({ op: z.literal('resume'), session: name.min(1) }),
  z.object({ op: z.literal('begin'), session: name.min(1) }),
  z.object({
    op: z.literal('announce'),
    s: sequence,
    guild: z.object({
      id: snowflake,
      name: z.string().max(200),
      icon: z.string().max(200).nullish(),
      owner_id: snowflake,
      channels: ids,
      bots: ids,
    }),
  }),
  z.object({ op: z.literal('withdraw'), s: sequence, guild_id: snowflake }),
  z.object({ op: z.literal('ready'), s: sequence }),
  z.object({ op: z.literal('dispatch'), s: sequence, t: z.string().max(200), d: freeObject }),
]);

export const CloudMessage = z.discriminatedUnion('op', [
  GOING_AWAY,
  z.object({
    op: z.literal('challenge'),
    version: z.number(),
    features: z.array(name).default([]),
    nonce: bytes(32),
    origin: z.string().max(500),
  }),
  z.object({
    op: z.literal('welcome'),
    box_id: snowflake,
    name: z.string(),
    id_space: z.number().int().min(4_096).max(16_383),
    generation: count,
    limits: z.object({
      requests: z.number().int().min(1).max(MAX_OPEN_REQUESTS),
      stream_credit: credit,
      box_credit: credit,
      answer_bytes: z.number().int().min(1),
    }),
    events: z.object({ session: name, seq: count }).nullish(),
  }),
  z.object({
    op: z.literal('request'),
    id: streamId,
    method: z.string().max(20),
    path: z.string().max(16_384),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
    headers: texts.default({}),
    body: count,
    bot: BotIdentity,
    webhook: z.object({ id: snowflake, channel_id: snowflake }).optional(),
    guild_id: snowflake,
    budget_ms: milliseconds,
    key: name.min(1),
  }),
  z.object({
    op: z.literal('call'),
    id: streamId,
    name,
    input: freeObject,
    budget_ms: milliseconds,
    key: name.min(1),
  }),
  z.object({ op: z.literal('cancel'), id: streamId }),
  z.object({ op: z.literal('ack'), s: count }),
]);

/** `From…` types are parsed. `To…` types have ids and bytes as text. */
export type FromBox = z.output<typeof BoxMessage>;
export type ToCloud = z.input<typeof BoxMessage>;
export type FromCloud = z.output<typeof CloudMessage>;
export type ToBox = z.input<typeof CloudMessage>;
export type Upkeep = z.output<typeof UpkeepMessage>;

export type RequestingBot = z.output<typeof BotIdentity>;
export type SentBot = z.input<typeof BotIdentity>;
