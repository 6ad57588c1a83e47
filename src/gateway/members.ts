import {
  GatewayDispatchEvents,
  type GatewayGuildMembersChunkDispatchData,
  GatewayIntentBits,
  GatewayOpcodes,
  type GatewayRateLimitedRequestGuildMembersDispatchData,
} from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { type GuildStore, GuildUnavailable } from '../domain/guilds/index.js';
import { ALL_MEMBERS_PER_GUILD } from '../domain/limits.js';
import type { MemberRecord, MemberSelection } from '../domain/members/index.js';
import type { ShownPresence } from '../domain/presences/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { renderMember } from '../wire/members.js';
import { renderPresence } from '../wire/presences.js';
import { closeFor } from './closing.js';
import { eventOf } from './events.js';
import type { Gateway } from './gateway.js';
import type { MembersRequest } from './payloads.js';
import { MEMBERS_PER_CHUNK, MEMBERS_PER_SEARCH } from './protocol.js';
import type { Session } from './session.js';

const MAX_NONCE_BYTES = 32;

/** Answers op 8 (docs/gateway.md, G-40). An unexpected error closes the connection. */
export async function sendMembers(gateway: Gateway, session: Session, request: MembersRequest): Promise<void> {
  try {
    await sendRequested(gateway.app, session, request);
  } catch (error) {
    if (error instanceof GuildUnavailable) return sendNone(session, request);
    session.disconnect(
      closeFor(error, gateway.app.log, 'Could not read members for the gateway; disconnecting the session'),
    );
  }
}

async function sendRequested(app: AppContext, session: Session, request: MembersRequest): Promise<void> {
  const store = app.guilds;
  const guildId = BigInt(request.guild_id);
  if (!session.guilds.has(guildId)) return sendNone(session, request);
  if (request.user_ids) return sendListed(store, session, request, request.user_ids);
  const prefix = request.query ?? '';
  if (prefix !== '') {
    const take = Math.min(request.limit || MEMBERS_PER_SEARCH, MEMBERS_PER_SEARCH);
    return dispatchMembers(store, session, request, await store.searchMembers(guildId, prefix, take));
  }
  if (session.wants(GatewayIntentBits.GuildMembers)) return sendAll(app, session, request);
  return dispatchMembers(store, session, request, await store.members(guildId, { userIds: [session.botId] }, 1));
}

/** The response for a guild that is unreachable or not held. */
function sendNone(session: Session, request: MembersRequest): void {
  dispatchChunk(session, request, [], [], { notFound: request.user_ids ?? [] });
}

async function sendListed(
  store: GuildStore,
  session: Session,
  request: MembersRequest,
  wanted: string[],
): Promise<void> {
  const asked = [...new Set(wanted)].slice(0, MEMBERS_PER_SEARCH);
  const userIds = asked.flatMap((text) => parseSnowflake(text) ?? []);
  const members = await store.members(BigInt(request.guild_id), { userIds }, MEMBERS_PER_SEARCH);
  const found = new Set(members.map((member) => String(member.userId)));
  const notFound = asked.filter((text) => !found.has(text));
  return dispatchMembers(store, session, request, members, { notFound });
}

/**
 * Sends the list no faster than the client reads. Clients wait for the last chunk. If the list is shorter than
 * expected, that chunk corrects `chunk_count`.
 */
async function sendAll(app: AppContext, session: Session, request: MembersRequest): Promise<void> {
  const store = app.guilds;
  const guildId = BigInt(request.guild_id);
  const count = await store.countMembers(guildId);
  // After the count, so that the limit does not include requests for an unreachable guild.
  if (!request.limit && (await isRefused(app, session, request))) return;
  const total = Math.min(count, request.limit || Number.POSITIVE_INFINITY);
  const chunkCount = Math.max(1, Math.ceil(total / MEMBERS_PER_CHUNK));
  const selection: MemberSelection = {};
  for (let index = 0; index < chunkCount; index += 1) {
    await session.room();
    if (session.ended) return;
    const take = Math.min(MEMBERS_PER_CHUNK, total - index * MEMBERS_PER_CHUNK);
    const members = await store.members(guildId, selection, take);
    selection.after = members.at(-1)?.userId ?? selection.after;
    const isAtEnd = members.length < take;
    await dispatchMembers(store, session, request, members, { index, count: isAtEnd ? index + 1 : chunkCount });
    if (isAtEnd) return;
  }
}

/** Whether the bot has got the complete list too recently. If so, answers with RATE_LIMITED. */
async function isRefused({ limits }: AppContext, session: Session, request: MembersRequest): Promise<boolean> {
  const state = await limits.take(ALL_MEMBERS_PER_GUILD, `${session.botId}:${request.guild_id}`);
  if (state.allowed) return false;
  const data: GatewayRateLimitedRequestGuildMembersDispatchData = {
    opcode: GatewayOpcodes.RequestGuildMembers,
    retry_after: state.resetAfterMs / 1_000,
    meta: { guild_id: request.guild_id, ...nonceOf(request) },
  };
  session.dispatch(eventOf(GatewayDispatchEvents.RateLimited, data));
  return true;
}

interface ChunkFields {
  /** Requested ids that are not members. */
  notFound?: string[];
  index?: number;
  count?: number;
}

async function dispatchMembers(
  store: GuildStore,
  session: Session,
  request: MembersRequest,
  members: MemberRecord[],
  facts: ChunkFields = {},
): Promise<void> {
  const userIds = members.map(({ userId }) => userId);
  const presences = wantsPresences(session, request) ? await store.presences(BigInt(request.guild_id), userIds) : [];
  await session.whenRoom(() => dispatchChunk(session, request, members, presences, facts));
}

function wantsPresences(session: Session, request: MembersRequest): boolean {
  return request.presences === true && session.wants(GatewayIntentBits.GuildPresences);
}

function dispatchChunk(
  session: Session,
  request: MembersRequest,
  members: MemberRecord[],
  presences: ShownPresence[],
  { notFound = [], index = 0, count = 1 }: ChunkFields,
): void {
  const data: GatewayGuildMembersChunkDispatchData = {
    guild_id: request.guild_id,
    members: members.map(renderMember),
    chunk_index: index,
    chunk_count: count,
    ...(notFound.length > 0 ? { not_found: notFound } : {}),
    ...(wantsPresences(session, request) ? { presences: presences.map(renderPresence) } : {}),
    ...nonceOf(request),
  };
  session.dispatch(eventOf(GatewayDispatchEvents.GuildMembersChunk, data));
}

function nonceOf({ nonce }: MembersRequest): { nonce?: string } {
  return typeof nonce === 'string' && nonce !== '' && Buffer.byteLength(nonce) <= MAX_NONCE_BYTES ? { nonce } : {};
}
