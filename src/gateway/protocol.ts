import { GatewayOpcodes } from 'discord-api-types/v10';

/** The versions spoken (docs/gateway.md, G-1); sessions at 9 differ from those at 10 in G-15 only. */
export type GatewayVersion = 9 | 10;

/** By what `v` says; null for an address without it. */
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

/** Milliseconds between a client's heartbeats. */
export const HEARTBEAT_INTERVAL_MS = 41_250;

/** A connection without a heartbeat for this long is given up. */
export const HEARTBEAT_SILENCE_MS = HEARTBEAT_INTERVAL_MS * 1.5;

/**
 * How long a payload is held back that some clients do not expect as soon as it can come on one machine, in milliseconds. It
 * is about how fast a client's threads and sockets are, so it passes in real time, whatever the clock says.
 */
export const SAME_MACHINE_DELAY_MS = 10;

/** Bytes of one payload from a client. */
export const MAX_PAYLOAD_BYTES = 4_096;

/** How many payloads a client may send within the window. */
export const SEND_LIMIT = { payloads: 120, windowMs: 60_000 } as const;

/** How often a session may say something else of its bot; what it says more often is told later, the latest of it. */
export const PRESENCE_LIMIT = { times: 5, windowMs: 20_000 } as const;

/** Guilds that one shard may hold. */
export const MAX_GUILDS_PER_SHARD = 2_500;

/** How long a session waits for its client to come back, in milliseconds. */
export const RESUME_WINDOW_MS = 5 * 60_000;

/** What a session keeps for a RESUME. */
export const REPLAY_LIMIT = { events: 4_096, bytes: 4 * 1024 * 1024 } as const;

/** What may wait for a connected client that does not read. */
export const BACKLOG_LIMIT = { events: 2_048, bytes: 1024 * 1024 } as const;

/**
 * What waits in a guild's feed for permissions, and for each session that was not shown the guild yet. It follows a GUILD_CREATE at once, so
 * that both together have room in what a session keeps.
 */
export const HELD_LIMIT = { events: 4_096, bytes: 1024 * 1024 } as const;

/** What waits in the feeds of all guilds of a process, in bytes. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** The longest GUILD_CREATE, in bytes: more than a half of what a session keeps, which has room for what waits behind it, too. */
export const MAX_GUILD_CREATE_BYTES = 2.5 * 1024 * 1024;

/** How long a session that logs in waits for guilds on boxes before it is told that they are unavailable, in milliseconds. */
export const BOX_PATIENCE_MS = 3_000;

/** How long, in milliseconds, until permissions that could not be read are asked for once more: after these tries, and all further ones. */
export const LAST_PERMISSION_RETRY_MS = 6_000;

/** The same after each of the first tries. */
export const PERMISSION_RETRIES_MS = [250, 1_000, 3_000, LAST_PERMISSION_RETRY_MS] as const;

/** How long after a fault a guild is read again for a session that waits for it, in milliseconds: twice as long each time. */
export const GUILD_RETRY_MS = { first: 1_000, most: 30_000 } as const;

/** Bytes handed to a socket ahead of its reader. */
export const SOCKET_HIGH_WATER = 256 * 1024;

/** How long a stopping server waits for clients to leave by themselves, in milliseconds. */
export const DRAIN_MS = 3_000;

/** How long a stopping server waits for the answers to its closes, in milliseconds. */
export const PARTING_MS = 1_000;

/** The longest a refused IDENTIFY is left without its answer, in milliseconds. */
export const REFUSAL_DELAY_MS = 5_000;

/** Requests for members, or about voice, of one session that may wait behind the one that is served. */
export const MAX_WAITING_REQUESTS = 240;

/** Members in one GUILD_MEMBERS_CHUNK. */
export const MEMBERS_PER_CHUNK = 1_000;

/** Members that a search by prefix, or a list of ids, returns at most. */
export const MEMBERS_PER_SEARCH = 100;

/** The opcodes a client may send. */
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

/** Why the server closes a connection. */
export interface Close {
  code: number;
  reason: string;
  /** What client libraries do on it. A session outlives only a close after which they resume. */
  client: 'resume' | 'identify' | 'stop';
}

/** Every reason for a close; the table of docs/gateway.md. */
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
  notReading: { code: 4901, reason: 'Too many events wait to be read.', client: 'resume' },
} as const satisfies Record<string, Close>;

/** Whether a session outlives the client's closing with `code`. */
export function clientCloseKeepsSession(code: number): boolean {
  return code !== 1000 && code !== 1001;
}

/** The shard that is responsible for a guild. */
export function shardOfGuild(guildId: bigint, count: number): number {
  return Number((guildId >> 22n) % BigInt(count));
}
