import { afterAll, beforeAll } from 'vitest';
import { type SelfHosted, startSelfHosted } from '../../harness/self-hosted.js';
import { describeAbsence } from './absence.js';
import { describeModeration } from './moderation.js';
import { openOceanic } from './stock-clients.js';

let all: SelfHosted;
beforeAll(async () => {
  all = await startSelfHosted();
});
afterAll(() => all.stop());

describeModeration('oceanic.js', () => all, { program: process.execPath, script: 'oceanic.js' });
describeAbsence('oceanic.js', openOceanic);
