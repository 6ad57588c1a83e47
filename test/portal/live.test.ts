import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { holdAnswer } from '../harness/held-answers.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  browser = chromium;
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'an update from the server'), () => {
  it("is shown after the user's own changes, while another request is still pending, and stays after its response", async () => {
    const { id } = await createApplication(ada, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const who = await holdAnswer(page, 'query Frame');
    const heading = page.getByRole('heading', { level: 1 });
    const save = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await heading.getByText(name).waitFor();
    };
    const toldOf = async (name: string) => {
      await update(ada, id, { name });
      await heading.getByText(name).waitFor();
    };
    await open(`/applications/${id}/general`);
    await save('Badger bot');
    await toldOf('Weasel bot');
    await save('Marten bot');
    await toldOf('Beaver bot');
    who.release();
    await page.getByRole('button', { name: 'Account of ada' }).waitFor();
    expect(await heading.textContent()).toBe('Beaver bot');
    expect(faults).toEqual([]);
    await close();
  });

  it('stays if an older change of the user is answered after it', async () => {
    const { id } = await createApplication(ada, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const heading = page.getByRole('heading', { level: 1 });
    await open(`/applications/${id}/general`);
    const saved = await holdAnswer(page, 'mutation UpdateApplication');
    await page.getByLabel('Name', { exact: true }).fill('Badger bot');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await saved.isGiven;
    await heading.getByText('Badger bot').waitFor();
    await update(ada, id, { name: 'Weasel bot' });
    await heading.getByText('Weasel bot').waitFor();
    saved.release();
    await page.getByText('Saved').waitFor();
    expect(await heading.textContent()).toBe('Weasel bot');
    await update(ada, id, { name: 'Marten bot' });
    await heading.getByText('Marten bot').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
