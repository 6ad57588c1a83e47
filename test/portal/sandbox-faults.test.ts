import { expect, it } from 'vitest';
import { textOf } from '../../portal/sandbox/fault-rules.js';

it.each([
  [{ nth: 1, box: true, effect: { type: 'answerLost' } }, 'box, nth 1 → answerLost'],
  [
    { nth: 2, event: 'MESSAGE_CREATE', effect: { type: 'reorder', count: 3 } },
    'MESSAGE_CREATE, nth 2 → reorder count 3',
  ],
  [{ opcode: 6, effect: { type: 'invalidSession', resumable: false } }, 'opcode 6 → invalidSession resumable false'],
] as const)('the page of a sandbox describes %j', (rule, text) => {
  expect(textOf(rule)).toBe(text);
});
