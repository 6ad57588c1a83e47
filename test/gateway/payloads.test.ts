import { ActivityType } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Closing } from '../../src/gateway/closing.js';
import {
  check,
  decode,
  Heartbeat,
  Identify,
  Presence,
  RequestChannelInfo,
  RequestGuildMembers,
  RequestSoundboardSounds,
  Resume,
  VoiceStateUpdate,
} from '../../src/gateway/payloads.js';

const LONG = '1234567890123456';

function read(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof Closing) return error.close.code;
    throw error;
  }
}
const decoded = (text: string | Buffer) => read(() => decode(Buffer.from(text)));
const checked = (schema: z.ZodType, value: unknown) => read(() => check(schema, value));

describe('a message', () => {
  it.each([
    [`{"op":8,"d":${LONG}}`, { op: 8, d: LONG }],
    [`{"op":8,"d":-${LONG}}`, { op: 8, d: `-${LONG}` }],
    ['{"op":8,"d":123456789012345}', { op: 8, d: 123_456_789_012_345 }],
    [`{"op":8,"d":${LONG}.5}`, { op: 8, d: 1_234_567_890_123_456.5 }],
    [`{"op":8,"d":${LONG}e1}`, { op: 8, d: 12_345_678_901_234_560 }],
    [`{"op":8,"d":0.${LONG}}`, { op: 8, d: 0.123_456_789_012_345_6 }],
    [`{"op":8,"d":[${LONG},${LONG}]}`, { op: 8, d: [LONG, LONG] }],
    [`{"op":8,"d":"${LONG}"}`, { op: 8, d: LONG }],
    [`{"op":8,"d":"a \\"${LONG}\\" b"}`, { op: 8, d: `a "${LONG}" b` }],
    [`{"op":8,"d":"\\\\","x":${LONG}}`, { op: 8, d: '\\' }],
    ['{"op":1}', { op: 1 }],
    ['{"op":1,"d":null,"t":"x","s":4}', { op: 1, d: null }],
    [`{"op":${LONG}}`, { op: Number(LONG) }],
    ['{"op":"1"}', 4002],
    ['{"op":null}', 4002],
    ['{"d":1}', 4002],
    ['[]', 4002],
    ['', 4002],
    ['{"op":1', 4002],
    [`{"op":1,"d":"${LONG}`, 4002],
    [`{"op":1,"d":${'['.repeat(64)}${']'.repeat(64)}}`, 4002],
  ])('%s', (text, value) => {
    expect(decoded(text)).toEqual(value);
  });

  it('that is not UTF-8 cannot be read', () => {
    expect(decoded(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toBe(4002);
  });
});

describe('a payload of a client', () => {
  const guild_id = '5';
  const token = 't';

  it.each<[name: string, schema: z.ZodType, values: [sent: unknown, meant: unknown][]]>([
    [
      'a heartbeat',
      Heartbeat,
      [
        [null, null],
        [undefined, undefined],
        [0, 0],
        [7, 7],
        [LONG, Number(LONG)],
        [-1, 4002],
        [`-${LONG}`, 4002],
        [1.5, 4002],
        ['7', 4002],
      ],
    ],
    [
      'a RESUME',
      Resume,
      [
        [
          { token, session_id: 'x', seq: 1 },
          { token, session_id: 'x', seq: 1 },
        ],
        [{ token, session_id: 'x', seq: null }, 4002],
        [{ token, session_id: 5, seq: 1 }, 4002],
        [{ token: null, session_id: 'x', seq: 1 }, 4002],
      ],
    ],
    [
      'an IDENTIFY',
      Identify,
      [
        [{ token }, { token }],
        [
          { token, intents: 1.5, shard: null, large_threshold: LONG, compress: true, properties: { os: 'x' } },
          { token, intents: 1.5, shard: null, large_threshold: Number(LONG), compress: true, properties: { os: 'x' } },
        ],
        [
          { token, shard: [LONG, 2] },
          { token, shard: [Number(LONG), 2] },
        ],
        [{ token, shard: [1, 2, 3] }, 4002],
        [{ token, compress: 1 }, 4002],
        [{ token, large_threshold: 50.5 }, 4002],
        [{ token, properties: [] }, 4002],
        [{}, 4002],
      ],
    ],
    [
      'a presence',
      Presence,
      [
        [
          { activities: [{ name: 'x', type: null, more: 1 }] },
          { activities: [{ name: 'x', type: ActivityType.Playing, more: 1 }] },
        ],
        [{ activities: [{ type: ActivityType.Custom }] }, { activities: [{ type: ActivityType.Custom }] }],
        [
          { since: 1.5, status: 'dnd', afk: true },
          { since: 1.5, status: 'dnd', afk: true },
        ],
        [{ status: 'away' }, 4002],
        [{ activities: {} }, 4002],
      ],
    ],
    [
      'a voice state',
      VoiceStateUpdate,
      [
        [
          { guild_id: 5, channel_id: null },
          { guild_id, channel_id: null },
        ],
        [
          { guild_id, channel_id: '6', self_deaf: true },
          { guild_id, channel_id: '6', self_deaf: true },
        ],
        [{ guild_id, channel_id: 'x' }, 4002],
        [{ channel_id: '6' }, 4002],
      ],
    ],
    [
      'a request for members',
      RequestGuildMembers,
      [
        [
          { guild_id, query: '' },
          { guild_id, query: '' },
        ],
        [
          { guild_id, user_ids: 6 },
          { guild_id, user_ids: ['6'] },
        ],
        [
          { guild_id, user_ids: ['6', 7, 'x'] },
          { guild_id, user_ids: ['6', '7', 'x'] },
        ],
        [
          { guild_id, user_ids: [] },
          { guild_id, user_ids: [] },
        ],
        [
          { guild_id, query: '', limit: 0, nonce: {} },
          { guild_id, query: '', limit: 0, nonce: {} },
        ],
        [
          { guild_id, query: '', limit: LONG },
          { guild_id, query: '', limit: Number(LONG) },
        ],
        [
          { guild_id: [guild_id, '9'], query: '', presences: 0 },
          { guild_id, query: '', presences: false },
        ],
        [
          { guild_id, query: '', presences: 1 },
          { guild_id, query: '', presences: true },
        ],
        [{ guild_id: [], query: '' }, 4002],
        [{ guild_id: [guild_id, {}], query: '' }, 4002],
        [{ guild_id, query: '', presences: 'yes' }, 4002],
        [{ guild_id, query: '', limit: -1 }, 4002],
        [{ guild_id, query: null, user_ids: null }, 4002],
        [{ guild_id }, 4002],
        [
          { guild_id: '9'.repeat(20), query: '' },
          { guild_id: '9'.repeat(20), query: '' },
        ],
        [{ guild_id: '9'.repeat(21), query: '' }, 4002],
        [{ guild_id: '', query: '' }, 4002],
        [{ guild_id: '-5', query: '' }, 4002],
      ],
    ],
    [
      'a request for sounds',
      RequestSoundboardSounds,
      [
        [{ guild_ids: [5, '6'] }, { guild_ids: ['5', '6'] }],
        [{ guild_ids: ['x'] }, 4002],
        [{}, 4002],
      ],
    ],
    [
      'a request for channels',
      RequestChannelInfo,
      [
        [{ guild_id: 5 }, { guild_id }],
        [
          { guild_id, fields: ['a'] },
          { guild_id, fields: ['a'] },
        ],
        [{ guild_id, fields: [1] }, 4002],
      ],
    ],
  ])('as %s is read, or closes 4002', (_name, schema, values) => {
    for (const [sent, meant] of values) expect([sent, checked(schema, sent)]).toEqual([sent, meant]);
  });
});
