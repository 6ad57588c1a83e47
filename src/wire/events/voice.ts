import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { renderVoiceState } from '../voice.js';
import type { EventRows } from './row.js';

export const voiceEvents = {
  VOICE_STATE_UPDATE: {
    topic: 'guild',
    about: ({ state }) => ({ guildId: state.guildId, userId: state.userId }),
    invalidates: ['live'],
    audience: { intent: Intent.GuildVoiceStates },
    render: ({ state }) => ({ d: renderVoiceState(state) }),
  },
} satisfies Partial<EventRows>;
