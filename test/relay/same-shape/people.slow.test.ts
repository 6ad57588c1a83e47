import { describe } from 'vitest';
import { operationsAfterPeople } from './operations/people.js';
import { expectTheSame } from './same.js';

describe('actions of users look the same in a guild of the cloud and on a box', () => {
  expectTheSame(operationsAfterPeople);
});
