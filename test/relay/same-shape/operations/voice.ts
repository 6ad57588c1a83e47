import { putInVoice } from '../../../harness/rows.js';
import type { Operation, Twin } from '../../../harness/twins.js';

const STATES = '/guilds/{guild}/voice-states';

/** Puts a user into voice in the database, without an event. */
export const isInVoice =
  (name: 'mia' | 'bot') =>
  ({ home, guild, names }: Twin) =>
    putInVoice(home.app, { guildId: guild.id, userId: BigInt(names.get(name) ?? '') });

export const voiceOperations: readonly Operation[] = [
  { ask: `GET ${STATES}/{mia}`, what: 'of who is in none', status: 404, code: 10065 },
  { ask: `GET ${STATES}/{mia}`, before: isInVoice('mia') },
  { ask: `PATCH ${STATES}/{mia}`, what: 'suppress', json: { suppress: true } },
  { ask: `GET ${STATES}/{mia}`, what: 'suppressed' },
  { ask: 'POST /guilds/{guild}/channels', json: { name: 'second', type: 2 }, keep: { second: 'id' } },
  { ask: `PATCH ${STATES}/{mia}`, what: 'move', json: { channel_id: '{second}' } },
  { ask: `GET ${STATES}/{mia}`, what: 'moved' },
  { ask: `PATCH ${STATES}/{mia}`, what: 'mute', json: { mute: true } },
  { ask: 'PATCH /guilds/{guild}/members/{mia}', what: 'mute and move', json: { mute: false, channel_id: '{voice}' } },
  { ask: `PATCH ${STATES}/{mia}`, what: 'disconnect', json: { channel_id: null } },
  { ask: `GET ${STATES}/{mia}`, what: 'disconnected', status: 404, code: 10065 },
  { ask: `GET ${STATES}/@me`, before: isInVoice('bot') },
  { ask: `PATCH ${STATES}/@me`, json: { channel_id: '{voice}', suppress: false } },
  { ask: `PATCH ${STATES}/@me`, what: 'leave', json: { channel_id: null } },
];
