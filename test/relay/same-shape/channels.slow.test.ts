import { describe } from 'vitest';
import { channelOperations } from './operations/guilds.js';
import { expectTheSame } from './same.js';

describe('channels are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(channelOperations);
});
