import { describe } from 'vitest';
import { guildOperations } from './operations/guilds.js';
import { expectTheSame } from './same.js';

describe('settings are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(guildOperations);
});
