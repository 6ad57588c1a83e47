import { ActivityType } from 'discord-api-types/v10';
import { z } from 'zod';
import { parseBounded } from '../infra/network/bounded-json.js';
import { Closing } from './closing.js';
import { closes } from './protocol.js';

export interface ClientPayload {
  op: number;
  d?: unknown;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON string, or an integer that a double may not represent exactly. */
const STRING_OR_LONG_NUMBER = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Integers of 16 digits or more become strings, so that ids stay exact.
 * @throws Closing 4002
 */
export function decode(message: Buffer): ClientPayload {
  return check(Envelope, parseJson(message));
}

function parseJson(message: Buffer): unknown {
  try {
    const text = utf8
      .decode(message)
      .replace(STRING_OR_LONG_NUMBER, (token) => (token[0] === '"' ? token : `"${token}"`));
    return parseBounded(text);
  } catch {
    throw new Closing(closes.undecodable);
  }
}

/** @throws Closing 4002 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Closing(closes.undecodable);
}

/** An integer that {@link decode} turned into a string. Only its magnitude matters. */
const longNumber = z
  .string()
  .regex(/^-?\d{16,}$/)
  .transform(Number);

const whole = z.union([z.int(), longNumber]);

const anyNumber = z.union([z.number(), longNumber]);

const Envelope = z.object({ op: whole, d: z.unknown().optional() });

const id = z
  .union([z.string(), z.int()])
  .transform(String)
  .refine((text) => /^\d{1,20}$/.test(text));

export const Heartbeat = whole.refine((sequence) => sequence >= 0).nullish();

const Activity = z.looseObject({
  name: z.string().nullish(),
  type: whole.nullish().transform((type) => type ?? ActivityType.Playing),
});

/** Libraries omit unset fields or send them empty. */
export const Presence = z.object({
  since: anyNumber.nullish(),
  activities: z.array(Activity).nullish(),
  status: z.enum(['online', 'dnd', 'idle', 'invisible', 'offline', '']).nullish(),
  afk: z.boolean().nullish(),
});

export type PresenceUpdate = z.output<typeof Presence>;

export const Identify = z.object({
  token: z.string(),
  intents: anyNumber.nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
  compress: z.union([z.boolean(), z.string()]).nullish(),
  large_threshold: whole.nullish(),
  shard: z.array(whole).length(2).nullish(),
  presence: Presence.nullish(),
});

export type IdentifyData = z.output<typeof Identify>;

export const Resume = z.object({ token: z.string(), session_id: z.string(), seq: whole });

export type ResumeData = z.output<typeof Resume>;

export const VoiceStateUpdate = z.object({
  guild_id: id,
  channel_id: id.nullish(),
  self_mute: z.boolean().nullish(),
  self_deaf: z.boolean().nullish(),
});

export type VoiceRequest = z.output<typeof VoiceStateUpdate>;

/** `not_found` returns invalid ids. */
const AnyId = z.union([z.string(), z.int()]).transform(String);

/** Some libraries send a list. Its first id counts, as on the reference platform. */
const guildId = z.union([id, z.tuple([id], id).transform(([first]) => first)]);

/** Some libraries send 0 or 1. */
const flag = z.union([z.boolean(), z.int().transform((value) => value !== 0)]);

export const RequestGuildMembers = z
  .object({
    guild_id: guildId,
    query: z.string().nullish(),
    limit: whole.refine((limit) => limit >= 0).nullish(),
    user_ids: z.union([AnyId.transform((one) => [one]), z.array(AnyId)]).nullish(),
    presences: flag.nullish(),
    nonce: z.unknown().optional(),
  })
  .refine(({ query, user_ids }) => typeof query === 'string' || Array.isArray(user_ids));

export type MembersRequest = z.output<typeof RequestGuildMembers>;

export const RequestSoundboardSounds = z.object({ guild_ids: z.array(id) });

export const RequestChannelInfo = z.object({ guild_id: id, fields: z.array(z.string()).nullish() });
