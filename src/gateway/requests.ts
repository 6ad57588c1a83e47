import { GatewayDispatchEvents, GatewayOpcodes } from 'discord-api-types/v10';
import { placeOfGuild } from './box-turns.js';
import { Closing } from './closing.js';
import { eventOf } from './events.js';
import type { Gateway } from './gateway.js';
import { sendMembers } from './members.js';
import {
  check,
  Presence,
  RequestChannelInfo,
  RequestGuildMembers,
  RequestSoundboardSounds,
  VoiceStateUpdate,
} from './payloads.js';
import { changePresence } from './presence.js';
import { type ClientOpcode, closes } from './protocol.js';
import type { Session } from './session.js';
import { changeVoice } from './voice.js';

/** @throws Closing 4002 for wrong types, 4008 if too many requests wait */
export function answer(gateway: Gateway, session: Session, op: ClientOpcode, d: unknown): void {
  switch (op) {
    case GatewayOpcodes.PresenceUpdate:
      changePresence(gateway, session, check(Presence, d));
      return;
    case GatewayOpcodes.VoiceStateUpdate: {
      const request = check(VoiceStateUpdate, d);
      inTurn(gateway, session, request.guild_id, () => changeVoice(gateway, session, request));
      return;
    }
    case GatewayOpcodes.RequestGuildMembers: {
      const request = check(RequestGuildMembers, d);
      inTurn(gateway, session, request.guild_id, () => sendMembers(gateway, session, request));
      break;
    }
    case GatewayOpcodes.RequestSoundboardSounds:
      sendSoundboardSounds(session, check(RequestSoundboardSounds, d).guild_ids);
      break;
    case GatewayOpcodes.RequestChannelInfo:
      sendChannelInfo(session, check(RequestChannelInfo, d).guild_id);
      break;
    case GatewayOpcodes.Heartbeat:
    case GatewayOpcodes.Identify:
    case GatewayOpcodes.Resume:
      throw new Error(`opcode ${op} must be handled by the connection`);
  }
}

/**
 * Each guild on a box has its own queue, so that a slow box does not delay other guilds (docs/gateway.md, G-40).
 * @throws Closing 4008 if too many requests wait
 */
function inTurn({ app }: Gateway, session: Session, guildId: string, work: () => Promise<void>): void {
  const line = placeOfGuild(app, BigInt(guildId)) === null ? null : guildId;
  if (!session.inTurn(work, line)) throw new Closing(closes.rateLimited);
}

function sendSoundboardSounds(session: Session, guildIds: string[]): void {
  for (const guildId of new Set(guildIds)) {
    if (!session.guilds.has(BigInt(guildId))) continue;
    session.dispatch(eventOf(GatewayDispatchEvents.SoundboardSounds, { guild_id: guildId, soundboard_sounds: [] }));
  }
}

function sendChannelInfo(session: Session, guildId: string): void {
  if (!session.guilds.has(BigInt(guildId))) return;
  session.dispatch(eventOf(GatewayDispatchEvents.ChannelInfo, { guild_id: guildId, channels: [] }));
}
