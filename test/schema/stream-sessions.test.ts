import { expect, test } from 'vitest';
import type { BusMessage, Heard } from '../../src/domain/bus-message.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { mayEndSession } from '../../src/schema/stream-sessions.js';

const ended: BusMessage = {
  type: 'SESSION_ENDED',
  audience: null,
  invalidates: ['session'],
  userId: '7',
  data: '{}',
};

test.each<[string, Heard, boolean]>([
  ['a session of theirs ended', ended, true],
  ['a session of another user ended', { ...ended, userId: '8' }, false],
  ['something of theirs changed that is no session', { ...ended, invalidates: ['portal'] }, false],
  ['the bus was away', { type: STREAM_GAP }, true],
])('mayEndSession returns whether the user may be signed out once %s', (_heard, message, expected) => {
  expect(mayEndSession(message, '7')).toBe(expected);
});
