import { describe } from 'vitest';
import { refusals } from './operations/refusals.js';
import { expectTheSame } from './same.js';

describe('refusals are the same in a guild of the cloud and on a box', () => {
  expectTheSame(refusals);
});
