import { describe } from 'vitest';
import { webhookOperations } from './operations/webhooks.js';
import { expectTheSame } from './same.js';

describe('webhooks are the same in a guild of the cloud and on a box (service description, section 4)', () => {
  expectTheSame(webhookOperations);
});
