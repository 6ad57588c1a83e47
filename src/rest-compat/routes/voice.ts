import { z } from 'zod';
import { type CallContext, requireUser } from '../../domain/call.js';
import { snowflake } from '../../domain/input.js';
import { changeVoiceState, getVoiceState } from '../../domain/voice/index.js';
import { renderVoiceState } from '../../wire/voice.js';
import { reads, writes } from '../buckets.js';
import { onServerOf, route, type SelfHosted } from '../route.js';
import { ids, inWireNames } from '../schemas.js';

/** Discord has only `channel_id` and `suppress` here. */
const VoiceChange = inWireNames({
  channelId: snowflake().nullish(),
  suppress: z.boolean().nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
});

/** Self-hosted servers cannot deafen members (service description, section 4). */
const selfHosted = ({ deaf }: z.output<typeof VoiceChange>): SelfHosted =>
  deaf == null ? 'forward' : 'notImplemented';

const own = (call: CallContext) => requireUser(call).user.id;

const faultNames = { channelId: 'channel_id' };

export const voiceRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId/voice-states/@me',
    summary: "Get the bot's voice state",
    callers: ['bot'],
    bucket: reads('own-voice-state', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    run: (call, { params: { guildId } }) => getVoiceState(call, guildId, own(call)),
    render: renderVoiceState,
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/voice-states/:userId',
    summary: "Get a member's voice state",
    callers: ['bot'],
    bucket: reads('voice-state', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId', 'userId'),
    run: (call, { params: { guildId, userId } }) => getVoiceState(call, guildId, userId),
    render: renderVoiceState,
  }),
  route({
    method: 'PATCH',
    path: '/guilds/:guildId/voice-states/@me',
    summary: "Edit the bot's voice state",
    callers: ['bot'],
    bucket: writes('change-own-voice-state', 'guildId'),
    where: { by: 'guildId', selfHosted, note: 'With `deaf`: 501.' },
    params: ids('guildId'),
    body: VoiceChange,
    faultNames,
    run: (call, { params, body }) => changeVoiceState(call, { ...params, ...body, userId: own(call) }),
  }),
  route({
    method: 'PATCH',
    path: '/guilds/:guildId/voice-states/:userId',
    summary: "Edit a member's voice state",
    callers: ['bot'],
    bucket: writes('change-voice-state', 'guildId'),
    where: { by: 'guildId', selfHosted, note: 'With `deaf`: 501.' },
    params: ids('guildId', 'userId'),
    body: VoiceChange,
    faultNames,
    run: (call, { params, body }) => changeVoiceState(call, { ...params, ...body }),
  }),
];
