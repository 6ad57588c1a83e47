import { GatewayOpcodes } from 'discord-api-types/v10';

/** Versions differ in G-15 only (docs/gateway.md, G-1). */
export type GatewayVersion = 9 | 10;

export function versionFor(v: string | null): GatewayVersion | null {
  switch (v) {
    case null:
    case '10':
      return 10;
    case '9':
      return 9;
    default:
      return null;
  }
}

export const HEARTBEAT_INTERVAL_MS = 41_250;

export const HEARTBEAT_SILENCE_MS = HEARTBEAT_INTERVAL_MS * 1.5;

/**
 * Delay of HELLO and heartbeat acknowledgements, because some clients mishandle an immediate reply on the same machine.
 * Runs in real time, not on the injected clock.
 */
export const SAME_MACHINE_DELAY_MS = 10;

export const MAX_PAYLOAD_BYTES = 4_096;

/** Per connection. */
export const SEND_LIMIT = { payloads: 120, windowMs: 60_000 } as const;

/** Per session. */
export const PRESENCE_LIMIT = { times: 5, windowMs: 20_000 } as const;

export const MAX_GUILDS_PER_SHARD = 2_500;

/** A disconnected session can be resumed for this long. */
export const RESUME_WINDOW_MS = 5 * 60_000;

/** Events kept for a RESUME. */
export const REPLAY_LIMIT = { events: 4_096, bytes: 4 * 1024 * 1024 } as const;

/** Events that may wait if a connected client does not read. */
export const BACKLOG_LIMIT = { events: 2_048, bytes: 1024 * 1024 } as const;

/**
 * Events of a guild that may wait for permissions, or for a session's GUILD_CREATE. In the second case both must fit in
 * `REPLAY_LIMIT`.
 */
export const HELD_LIMIT = { events: 4_096, bytes: 1024 * 1024 } as const;

/** Limit of held events in a process. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Must fit in `REPLAY_LIMIT` together with the held events. */
export const MAX_GUILD_CREATE_BYTES = 2.5 * 1024 * 1024;

/** How long a new session waits for guilds on boxes. */
export const BOX_PATIENCE_MS = 3_000;

/** Delay of all later retries. */
export const LAST_PERMISSION_RETRY_MS = 6_000;

/** Delays of the first retries. */
export const PERMISSION_RETRIES_MS = [250, 1_000, 3_000, LAST_PERMISSION_RETRY_MS] as const;

/** Delay before a guild is loaded again. It doubles up to `most`. */
export const GUILD_RETRY_MS = { first: 1_000, most: 30_000 } as const;

/** Bytes buffered in a socket before sending pauses. */
export const SOCKET_HIGH_WATER = 256 * 1024;

/** How long shutdown waits after op 7. */
export const DRAIN_MS = 3_000;

/** How long shutdown waits for the client's close frame. */
export const PARTING_MS = 1_000;

/** Maximum delay of op 9. */
export const REFUSAL_DELAY_MS = 5_000;

/** Limit of a session's waiting requests for members and voice. */
export const MAX_WAITING_REQUESTS = 240;

export const MEMBERS_PER_CHUNK = 1_000;

/** Applies to a list of ids too. */
export const MEMBERS_PER_SEARCH = 100;

export type ClientOpcode =
  | GatewayOpcodes.Heartbeat
  | GatewayOpcodes.Identify
  | GatewayOpcodes.PresenceUpdate
  | GatewayOpcodes.VoiceStateUpdate
  | GatewayOpcodes.Resume
  | GatewayOpcodes.RequestGuildMembers
  | GatewayOpcodes.RequestSoundboardSounds
  | GatewayOpcodes.RequestChannelInfo;

const CLIENT_OPCODES: ReadonlySet<number> = new Set<ClientOpcode>([
  GatewayOpcodes.Heartbeat,
  GatewayOpcodes.Identify,
  GatewayOpcodes.PresenceUpdate,
  GatewayOpcodes.VoiceStateUpdate,
  GatewayOpcodes.Resume,
  GatewayOpcodes.RequestGuildMembers,
  GatewayOpcodes.RequestSoundboardSounds,
  GatewayOpcodes.RequestChannelInfo,
]);

export function isClientOpcode(op: number): op is ClientOpcode {
  return CLIENT_OPCODES.has(op);
}

export interface Close {
  code: number;
  reason: string;
  /** How client libraries react. The session survives only `resume`. */
  client: 'resume' | 'identify' | 'stop';
}

/** See the table in docs/gateway.md. */
export const closes = {
  fault: { code: 4000, reason: 'Unknown error.', client: 'resume' },
  unknownOpcode: { code: 4001, reason: 'Unknown opcode.', client: 'resume' },
  undecodable: { code: 4002, reason: 'Error while decoding payload.', client: 'resume' },
  encoding: { code: 4002, reason: 'Only encoding=json is offered.', client: 'resume' },
  compression: { code: 4002, reason: 'Only compress=zlib-stream and zstd-stream are offered.', client: 'resume' },
  notIdentified: { code: 4003, reason: 'Not authenticated.', client: 'identify' },
  movedAway: { code: 4003, reason: 'The session was resumed elsewhere.', client: 'identify' },
  authenticationFailed: { code: 4004, reason: 'Authentication failed.', client: 'stop' },
  alreadyIdentified: { code: 4005, reason: 'Already authenticated.', client: 'identify' },
  invalidSequence: { code: 4007, reason: 'Invalid seq.', client: 'identify' },
  rateLimited: { code: 4008, reason: 'Rate limited.', client: 'identify' },
  silent: { code: 4009, reason: 'Session timed out.', client: 'resume' },
  invalidShard: { code: 4010, reason: 'Invalid shard.', client: 'stop' },
  shardingRequired: { code: 4011, reason: 'Sharding required.', client: 'stop' },
  invalidVersion: { code: 4012, reason: 'Invalid API version.', client: 'stop' },
  invalidIntents: { code: 4013, reason: 'Invalid intent(s).', client: 'stop' },
  disallowedIntents: { code: 4014, reason: 'Disallowed intent(s).', client: 'stop' },
  stopping: { code: 4900, reason: 'The server is stopping.', client: 'resume' },
  unavailable: { code: 4902, reason: 'Not available at the moment.', client: 'resume' },
  notReading: { code: 4901, reason: 'Too many events are waiting to be read.', client: 'resume' },
} as const satisfies Record<string, Close>;

export function clientCloseKeepsSession(code: number): boolean {
  return code !== 1000 && code !== 1001;
}

export function shardOfGuild(guildId: bigint, count: number): number {
  return Number((guildId >> 22n) % BigInt(count));
}
