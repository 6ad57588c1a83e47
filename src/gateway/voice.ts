import { callContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { joinVoice, leaveVoice } from '../domain/voice/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { closeFor } from './closing.js';
import type { Gateway } from './gateway.js';
import type { VoiceRequest } from './payloads.js';
import type { Session } from './session.js';

/**
 * Handles op 4 (docs/gateway.md, G-41). A refused request gets no response, as on the reference platform. An unexpected
 * error closes the connection.
 */
export async function changeVoice(gateway: Gateway, session: Session, request: VoiceRequest): Promise<void> {
  const guildId = BigInt(request.guild_id);
  if (!session.guilds.has(guildId)) return;
  try {
    if (request.channel_id) await join(gateway, session, guildId, request);
    else await leaveVoice(callContext(gateway.app, session.bot.actor), guildId);
  } catch (error) {
    // Bots cannot join voice on a box.
    if (error instanceof GuildUnavailable) return;
    const refusal = refusalIn(error);
    if (refusal && refusal.kind !== 'overloaded') return;
    session.disconnect(
      closeFor(error, gateway.app.log, 'Could not change a voice state for the gateway; disconnecting the session'),
    );
  }
}

async function join(gateway: Gateway, session: Session, guildId: bigint, request: VoiceRequest): Promise<void> {
  const call = callContext(gateway.app, session.bot.actor);
  const input = {
    guildId,
    channelId: parseSnowflake(request.channel_id ?? '') ?? 0n,
    selfMute: request.self_mute ?? false,
    selfDeaf: request.self_deaf ?? false,
  };
  await joinVoice(call, input, session.id);
}
