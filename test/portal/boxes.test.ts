import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startBox } from '../harness/box.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import { createGuild, signUp } from '../harness/people.js';
import { noteHeadings, openPortal } from '../harness/portal.js';
import { makeBox } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the boxes'), () => {
  it('are created with a token that is shown once, show when they connect, and list their servers with what works there', async () => {
    const ada = await signUp(server, 'ada');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/boxes');
    await page.getByText('A box is a Causeway instance that you run yourself').waitFor();
    await page.getByRole('button', { name: 'New box' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Name').fill('Cellar');
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enrolment token for Cellar' });
    const token = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByText(`CLOUD_URL=${server.origin}`).waitFor();
    await dialog.getByLabel('I have stored it').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cellar' }).waitFor();
    await page.getByText('never connected').waitFor();
    expect([token.length > 20, (await page.content()).includes(token)]).toEqual([true, false]);

    const box = await startBox({ token, cloudUrl: server.origin });
    await page.getByText('online', { exact: true }).waitFor();
    await createGuild(await signUp(box, 'keeper'), 'Attic');
    await page.getByText('Bot API support on Attic').click();
    await page.getByLabel('Search').fill('patch /channels/:channelid');
    const row = page.getByRole('row').filter({ hasText: 'PATCH /channels/:channelId' }).first();
    await row.getByText('works').waitFor();
    expect(await page.getByRole('link', { name: 'Attic' }).getAttribute('href')).toMatch(/\/portal\/servers\/\d+$/);
    await box.stop();
    await page.getByText(/offline/).waitFor();
    await page.getByRole('link', { name: 'Boxes' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Cellar' })
      .getByText(/protocol version \d/)
      .waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are renamed, enrolled again and deleted, which other browsers show', { tags: ['slow'] }, async ({ task }) => {
    const bea = await signUp(server, `bea${task.result?.retryCount ?? 0}`);
    const { box } = await makeBox(bea, 'Garage');
    const [mine, other] = [await openPortal(browser, server, bea), await openPortal(browser, server, bea)];
    const { page } = mine;
    const untilHeard = hearing(page);
    await mine.open(`/boxes/${box.id}`);
    await other.open(`/boxes/${box.id}`);
    await page.getByLabel('Name').fill('Shed');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await other.page.getByRole('heading', { level: 1, name: 'Shed' }).waitFor();
    await page.getByRole('button', { name: 'New enrolment token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enrolment token for Shed' });
    await dialog.getByLabel('I have stored it').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete box' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete Shed?' });
    expect(await question.getByRole('button', { name: 'Delete box' }).isDisabled()).toBe(true);
    await question.getByLabel("Type the box's name").fill('Shed');
    const headings = await noteHeadings(page);
    const held = await holdAnswer(page, 'mutation DeleteBox(');
    await question.getByRole('button', { name: 'Delete box' }).click();
    await untilHeard('NOT_FOUND');
    held.release();
    await page.getByRole('heading', { level: 1, name: 'Boxes' }).waitFor();
    expect(await headings()).toEqual(['Shed', 'Boxes']);
    await other.page.getByText('This box was deleted.').waitFor();
    expect([...mine.faults, ...other.faults]).toEqual([]);
    await mine.close();
    await other.close();
  });

  it('show the requests of the last 24 hours as numbers, as a chart and as a table, and update them each minute', {
    tags: ['slow'],
  }, async () => {
    const cleo = await signUp(server, 'cleo');
    const { box } = await makeBox(cleo, 'Loft');
    const { page, faults, open, close } = await openPortal(browser, server, cleo);
    await page.clock.install();
    await open(`/boxes/${box.id}`);
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Last 24 hours' }) });
    await section.getByText('No requests in the last 24 hours.').waitFor();

    const { boxMeasures } = server.app;
    for (const ms of [3, 3, 180]) boxMeasures.note(BigInt(box.id), 'answered', ms);
    boxMeasures.note(BigInt(box.id), '504', null);
    await boxMeasures.store();
    await page.clock.runFor(60_000);
    await section.getByText('50% within 3 ms, 95% within 200 ms').waitFor();
    expect(await section.locator('dt').allInnerTexts()).toEqual([
      'Requests',
      ...[
        '413 request too large',
        '502 unusable response',
        '503 box offline or overloaded',
        '504 no response in time',
      ].map((words) => `HTTP ${words}`),
      'Latency added by the relay',
    ]);
    expect((await section.locator('dd').allInnerTexts()).slice(0, 5)).toEqual(['4', '0', '0', '0', '1']);
    const picture = section.getByRole('img', {
      name: /^Requests per hour in the last 24 hours\. Busiest hour: .*4 requests, 1 failed$/,
    });
    expect(await picture.locator('g').count()).toBe(24);
    expect(await picture.locator('g').last().locator('rect').evaluateAll(heightsOf)).toEqual([100, 74, 26]);
    await section.getByText('Hour by hour').click();
    expect(await section.getByRole('row').count()).toBe(25);
    expect((await section.getByRole('row').last().innerText()).split(/\s+/).slice(-2)).toEqual(['4', '1']);
    expect(faults).toEqual([]);
    await close();
  });

  it('the statistics are not requested while the page is hidden, and are requested again once it is visible', {
    tags: ['slow'],
  }, async () => {
    const dora = await signUp(server, 'dora');
    const { box } = await makeBox(dora, 'Barn');
    const { page, open, close } = await openPortal(browser, server, dora);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    const count = () => asked.filter((body) => body.includes('query BoxStatistics')).length;
    await page.clock.install();
    await open(`/boxes/${box.id}`);
    await page.getByText('No requests in the last 24 hours.').waitFor();
    const before = count();
    await page.evaluate(showAs, 'hidden');
    await page.clock.runFor(300_000);
    expect(count()).toBe(before);
    const again = page.waitForRequest((request) => request.postData()?.includes('query BoxStatistics') ?? false);
    await page.evaluate(showAs, 'visible');
    await again;
    await close();
  });
});

const heightsOf = (bars: Element[]) => bars.map((bar) => Number(bar.getAttribute('height')));

/** Sets the visibility of the page and notifies it, because a browser without a screen does not. */
function showAs(state: string): void {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}
