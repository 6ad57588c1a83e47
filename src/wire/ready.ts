import type { APIUnavailableGuild, GatewayReadyDispatchData } from 'discord-api-types/v10';
import { flagsOfIntents, type PrivilegedIntent } from '../domain/applications/index.js';
import type { User } from '../infra/database/index.js';
import { renderOwnUser } from './users.js';

export interface ReadyInput {
  version: number;
  user: User;
  privilegedIntents: PrivilegedIntent[];
  guildIds: bigint[];
  sessionId: string;
  /** Without a query, because clients append their own. */
  resumeGatewayUrl: string;
  shard: { id: number; count: number } | null;
}

/** Undocumented fields that libraries read. They are empty for bots. */
interface ReadyExtras {
  private_channels: [];
  relationships: [];
  presences: [];
  guild_join_requests: [];
  session_type: 'normal';
  _trace: string[];
}

export function renderReady(facts: ReadyInput): GatewayReadyDispatchData & ReadyExtras {
  const flags = flagsOfIntents(facts.privilegedIntents);
  return {
    v: facts.version,
    user: renderOwnUser(facts.user, null),
    guilds: facts.guildIds.map(renderUnavailableGuild),
    session_id: facts.sessionId,
    resume_gateway_url: facts.resumeGatewayUrl,
    session_type: 'normal',
    ...(facts.shard ? { shard: [facts.shard.id, facts.shard.count] as [number, number] } : {}),
    application: { id: String(facts.user.id), flags, flags_new: String(flags) },
    private_channels: [],
    relationships: [],
    presences: [],
    guild_join_requests: [],
    _trace: ['["causeway"]'],
  };
}

/** A guild that is unavailable, or whose GUILD_CREATE follows. */
export function renderUnavailableGuild(guildId: bigint): APIUnavailableGuild {
  return { id: String(guildId), unavailable: true };
}
