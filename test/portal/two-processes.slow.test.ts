import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { createGuild, invite, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { missingForSeveralProcesses } from '../harness/redis.js';
import { needing } from '../harness/skipping.js';
import { startTwoProcesses, type TwoProcesses } from '../harness/two-processes.js';

const missing = noBrowser ?? (await missingForSeveralProcesses());

describe.skipIf(missing !== null)(needing(missing, 'pages that are served by two processes'), () => {
  let cloud: TwoProcesses;
  let browser: Browser;
  beforeAll(async () => {
    [cloud, browser] = await Promise.all([startTwoProcesses(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await cloud?.stop();
  });

  it("show each other's changes, and continue with the other process when theirs is killed", async () => {
    const { front, first, second } = cloud;
    const [ada, bob] = [await signUp(first, 'ada'), await signUp(second, 'bob')];
    const guild = await createGuild(ada, 'Harbour');
    await invite(ada, guild, bob);
    const [hers, his] = [await openPortal(browser, front, ada), await openPortal(browser, front, bob)];
    const channel = `/servers/${guild.id}/channels/${guild.textChannelId}`;
    await hers.open(channel);
    await hers.page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
    front.leadTo(second.origin);
    await his.open(channel);
    await his.page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });

    await his.page.getByLabel(/^Message #/).fill('from the second');
    await his.page.keyboard.press('Enter');
    await hers.page.getByRole('log').getByText('from the second', { exact: true }).waitFor();
    await hers.page.getByLabel(/^Message #/).fill('from the first');
    await hers.page.keyboard.press('Enter');
    await his.page.getByRole('log').getByText('from the first', { exact: true }).waitFor();

    await hers.page.getByLabel(/^Message #/).fill('not sent yet');
    await first.end('SIGKILL');
    await his.page.getByLabel(/^Message #/).fill('said meanwhile');
    await his.page.keyboard.press('Enter');
    await hers.page.getByRole('log').getByText('said meanwhile', { exact: true }).waitFor();
    expect(await hers.page.getByLabel(/^Message #/).inputValue()).toBe('not sent yet');
    await Promise.all([hers.close(), his.close()]);
  });
});
