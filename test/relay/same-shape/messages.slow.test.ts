import { describe } from 'vitest';
import { messageOperations } from './operations/messages.js';
import { expectTheSame } from './same.js';

describe('messages are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(messageOperations);
});
