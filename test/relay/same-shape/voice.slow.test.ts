import { describe } from 'vitest';
import { voiceOperations } from './operations/voice.js';
import { expectTheSame } from './same.js';

describe('voice states are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(voiceOperations);
});
