import { GatewayDispatchEvents, GatewayOpcodes } from 'discord-api-types/v10';
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
import { type ClientOpcode, closes } from './protocol.js';
import type { Session } from './session.js';

/**
 * Does what an identified client asks for.
 * @throws Closing 4002 for a payload of wrong types, 4008 when too many requests for members wait
 */
export function answer(gateway: Gateway, session: Session, op: ClientOpcode, d: unknown): void {
  switch (op) {
    case GatewayOpcodes.PresenceUpdate:
      session.presence = check(Presence, d);
      return;
    case GatewayOpcodes.VoiceStateUpdate:
      check(VoiceStateUpdate, d);
      return;
    case GatewayOpcodes.RequestGuildMembers: {
      const request = check(RequestGuildMembers, d);
      const isTaken = session.inTurn(() => sendMembers(gateway, session, request));
      if (!isTaken) throw new Closing(closes.rateLimited);
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
      throw new Error(`opcode ${op} belongs to the connection`);
  }
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
