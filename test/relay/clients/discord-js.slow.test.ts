import { afterAll, beforeAll } from 'vitest';
import { type SelfHosted, startSelfHosted } from '../../harness/self-hosted.js';
import { describeAbsence } from './absence.js';
import { describeModeration } from './moderation.js';
import { openDiscordJs } from './stock-clients.js';

let all: SelfHosted;
beforeAll(async () => {
  all = await startSelfHosted();
});
afterAll(() => all.stop());

describeModeration('discord.js', () => all, { program: process.execPath, script: 'discord_js.js' });
describeAbsence('discord.js', openDiscordJs);
