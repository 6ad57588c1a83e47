import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { RunningSandbox } from '../../src/sandbox/start.js';
import { Instance, type World } from '../../src/testing/index.js';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { openPortal, type PortalTab } from '../harness/portal.js';
import { startTestSandbox, test } from '../harness/sandbox.js';
import { needing } from '../harness/skipping.js';

/** An instance of its own, because it moves the clock. */
let running: RunningSandbox;
let world: World;
let bot: GatewayClient;
let tab: PortalTab;

test.beforeAll(async ({ browser }: { browser: Browser }) => {
  if (noBrowser !== null) return;
  running = await startTestSandbox();
  world = await new Instance(running).createWorld({
    name: 'Lunch',
    guilds: [{ name: 'Kitchen', channels: ['kitchen'] }],
    applications: ['Lunch bot', 'Other bot'],
  });
  bot = await GatewayClient.open(running.origin);
  await bot.ready(world.bot.token);
  tab = await openPortal(browser, running, null, { width: 1300 });
  await tab.page.goto(running.page);
});

test.afterAll(async () => {
  await tab?.close();
  await bot?.close();
  await running?.stop();
});

const part = (name: string): Locator => tab.page.getByRole('region', { name });
const line = (text: string): Locator => tab.page.getByRole('log').getByText(text);

async function play(name: string): Promise<Page> {
  const opened = tab.page.waitForEvent('popup');
  await part('People')
    .getByRole('button', { name: `Play as ${name}` })
    .click();
  return opened;
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the page of a sandbox'), () => {
  test('shows what a bot does as it happens', async () => {
    await line('Lunch bot ← READY').waitFor();
    await fetch(`${world.api}/v10/users/@me`, { headers: { authorization: `Bot ${world.bot.token}` } });
    await line('Lunch bot GET /users/@me').waitFor();
    expect(await axeFaults(tab.page)).toEqual([]);
  });

  test('shows whether a bot is connected, and closes its connection', { tags: ['slow'] }, async () => {
    const other = await GatewayClient.open(running.origin);
    await other.ready(world.application('Other bot').token);
    await part('Bots').getByRole('button', { name: 'Close connection of Other bot' }).click();
    expect(await other.closed).toMatchObject({ code: 4000 });
    await part('Bots').getByText('not connected').waitFor();
  });

  test('opens the portal as one person after the other', { tags: ['slow'] }, async () => {
    const portal = await play('ada');
    await portal.getByLabel('Message #kitchen').fill('hello from ada');
    await portal.getByRole('button', { name: 'Send' }).click();
    expect((await bot.event('MESSAGE_CREATE')).d).toMatchObject({ author: { username: 'ada' } });
    await line('Lunch bot ← MESSAGE_CREATE').waitFor();
    await part('People').getByRole('button', { name: 'Play as grace' }).click();
    await portal.getByRole('button', { name: /grace/ }).waitFor();
    await portal.close();
  });

  test('moves the clock', async () => {
    const clock = part('Clock');
    const before = running.app.clock.now();
    await clock.getByRole('button', { name: '1 hour' }).click();
    await expect.poll(() => running.app.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    await clock.getByLabel('Other duration').fill('30d');
    await clock.getByRole('button', { name: 'Advance' }).click();
    await clock.getByRole('button', { name: 'Freeze' }).click();
    await clock.getByText('frozen').waitFor();
    expect(running.app.clock.now() - before).toBeGreaterThan(30 * 86_400_000);
    await clock.getByRole('button', { name: 'Resume' }).click();
    await clock.getByText('frozen').waitFor({ state: 'detached' });
  });

  test('adds a fault, counts how often it applied, and removes it', async () => {
    const faults = part('Faults');
    await faults.getByRole('button', { name: 'Add fault' }).click();
    await faults.getByText('POST /interactions/:id/:token/callback → status 502').waitFor();
    await faults.getByRole('button', { name: /^Remove/ }).click();
    await faults.getByText('The platform behaves normally.').waitFor();
    await faults.getByLabel('New fault').selectOption('Sending messages fails with 502');
    await faults.getByRole('button', { name: 'Add fault' }).click();
    await faults.getByText('POST /channels/:id/messages → status 502').waitFor();
    const refused = await fetch(`${world.api}/v10/channels/${world.guild.channels[0]?.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${world.bot.token}`, 'content-type': 'application/json' },
      body: '{"content":"hello"}',
    });
    expect(refused.status).toBe(502);
    await faults.getByText('Matched 1, applied 1').waitFor();
    await faults.getByRole('button', { name: /^Remove/ }).click();
    await faults.getByText('The platform behaves normally.').waitFor();
    await faults.getByRole('button', { name: 'Rate limited' }).click();
    await faults.getByText('* /, every 10 → rateLimit scope global retryAfterMs 500').waitFor();
    await faults.getByRole('button', { name: 'Remove all' }).click();
    await faults.getByText('The platform behaves normally.').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('hides kinds of entries, and shows the payload of one', { tags: ['slow'] }, async () => {
    await part('Transcript').getByRole('button', { name: 'event' }).click();
    await line('Lunch bot ← READY').waitFor({ state: 'detached' });
    await part('Transcript').getByRole('button', { name: 'event' }).click();
    await line('Lunch bot ← READY').click();
    await line('"resume_gateway_url"').waitFor();
  });

  test('says why the clock stands while there is a second world', { tags: ['slow'] }, async () => {
    const second = await new Instance(running).createWorld();
    await part('Clock').getByText('2 worlds use it').waitFor();
    await tab.page.getByLabel('World').selectOption(`World ${second.id}`);
    await part('People').getByRole('button', { name: 'Play as ada' }).waitFor();
    await tab.page.getByRole('heading', { level: 1, name: `World ${second.id}` }).waitFor();
    await second.dispose();
    await tab.page.getByRole('heading', { level: 1, name: 'Lunch' }).waitFor();
  });
});
