import { afterAll, beforeAll } from 'vitest';
import { type SelfHosted, startSelfHosted } from '../../harness/self-hosted.js';
import { describeAbsence } from './absence.js';
import { describeModeration } from './moderation.js';
import { openEris } from './stock-clients.js';

let all: SelfHosted;
beforeAll(async () => {
  all = await startSelfHosted();
});
afterAll(() => all.stop());

describeModeration('eris', () => all, { program: process.execPath, script: 'eris.js' });
describeAbsence('eris', openEris);
