import { describe } from 'vitest';
import { memberOperations } from './operations/members.js';
import { expectTheSame } from './same.js';

describe('members are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(memberOperations);
});
