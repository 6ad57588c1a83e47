import type { Browser, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createApplication, createGuild, type Person, sendMessage, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { FOR_A_MINUTE, refuseAnswers } from '../harness/refused-answers.js';
import { makeBox } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam, inviteToTeam } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  browser = chromium;
});

const BY_THE_SERVER = { requestId: '0f1e' };

/** Adds a name to the input that the form sends, which has no field for it. */
async function shortenName(route: Route): Promise<void> {
  const body = route.request().postDataJSON();
  const input = { ...body.variables.input, name: 'O' };
  await route.continue({ postData: JSON.stringify({ ...body, variables: { input } }) });
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'a refusal is shown'), () => {
  it('above the buttons, if the form has no field for it', async () => {
    const { id } = await createApplication(ada, 'Otter bot');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/bot`);
    await page.getByRole('switch', { name: 'Presences' }).click();
    await page.route('/graphql', shortenName);
    await page.getByRole('button', { name: 'Save changes' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('name: Must be between 2 and 32 in length.').waitFor();
    await page.unroute('/graphql');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await alert.waitFor({ state: 'detached' });
    await close();
  });

  it('with the id of the request, if the server is at fault', { tags: ['slow'] }, async () => {
    const { page, open, close } = await openPortal(browser, server, ada);
    await open('/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog', { name: 'New team' });
    await dialog.getByLabel('Name').fill('Otters');
    const { writer } = server.app.db;
    await writer.$executeRawUnsafe('ALTER TABLE "Team" RENAME TO "Gone"');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('Something went wrong on the server.').waitFor();
    const id = (await alert.locator('code').textContent()) ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await alert.getByRole('button', { name: 'Copy request ID' }).click();
    await alert.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await alert.getByText('Copied').waitFor({ state: 'detached' });
    await writer.$executeRawUnsafe('ALTER TABLE "Gone" RENAME TO "Team"');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Otters' }).waitFor();
    await close();
  });

  it('with the id of the request, if it replaces a page, a log or the answer to an invitation', {
    tags: ['slow'],
  }, async () => {
    const [team, bob] = [await createTeam(ada, 'Weir'), await signUp(server, 'bob')];
    await inviteToTeam(ada, team, bob);
    const { page, open, close } = await openPortal(browser, server, ada);
    const shown = page.getByRole('main').getByText('Request ID 0f1e');
    const copy = page.getByRole('button', { name: 'Copy request ID' });
    const ofPage = await refuseAnswers(page, 'Team', BY_THE_SERVER);
    await open(`/teams/${team.id}/general`);
    await page.getByRole('heading', { level: 1, name: 'This could not be loaded' }).waitFor();
    await shown.waitFor();
    await copy.click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('0f1e');
    await ofPage.stop();
    await refuseAnswers(page, 'TeamLog', BY_THE_SERVER);
    await open(`/teams/${team.id}/audit`);
    await page.getByRole('heading', { level: 1, name: 'Weir' }).waitFor();
    await shown.waitFor();
    await close();
    const invited = await openPortal(browser, server, bob);
    await invited.open();
    await refuseAnswers(invited.page, 'AcceptTeamInvitation', BY_THE_SERVER);
    await invited.page.getByRole('button', { name: 'Accept: Weir' }).click();
    await invited.page.getByRole('alert').getByText('Request ID 0f1e').waitFor();
    await invited.close();
  });

  it('in a notification with all details, and the button is off until it is worth trying again', {
    tags: ['slow'],
  }, async () => {
    const { box } = await makeBox(ada, 'Cellar');
    const { page, open, close } = await openPortal(browser, server, ada);
    const said = page.getByRole('region', { name: 'Notifications' });
    const renew = page.getByRole('button', { name: 'New enrolment token' });
    await open(`/boxes/${box.id}`);
    const broken = await refuseAnswers(page, 'NewEnrolmentToken', BY_THE_SERVER);
    await renew.click();
    await said.getByText('to the operator. Request ID: 0f1e.').waitFor();
    await broken.stop();
    const early = await refuseAnswers(page, 'NewEnrolmentToken', { code: 'RATE_LIMITED', retryAfter: 2 });
    await renew.click();
    await said.getByText('You are being rate limited. You can try again in 2 s.').waitFor();
    expect(await renew.isDisabled()).toBe(true);
    await early.stop();
    await renew.click();
    await page.getByRole('dialog', { name: 'Enrolment token for Cellar' }).waitFor();
    await close();
  });

  it('and neither Enter nor an enabled button sends anything until then', { tags: ['slow'] }, async () => {
    const guild = await createGuild(ada, 'Harbour');
    await sendMessage(ada, guild.textChannelId, 'Ahoy');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/channels/${guild.textChannelId}`);
    const composer = page.getByLabel(/^Message #/);
    const messages = await refuseAnswers(page, 'SendMessage', FOR_A_MINUTE);
    await composer.fill('Land');
    await composer.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/You can try again in \d+ s\./)
      .waitFor();
    await composer.press('Enter');
    expect([await composer.inputValue(), messages.count()]).toEqual(['Land', 1]);
    const reactions = await refuseAnswers(page, 'AddReaction', FOR_A_MINUTE);
    const react = async () => {
      await page.getByRole('log').getByText('Ahoy').hover();
      await page.getByRole('button', { name: 'React', exact: true }).click();
      await page
        .getByRole('button', { name: /^React with/ })
        .first()
        .click();
    };
    const said = page.getByRole('region', { name: 'Notifications' });
    await react();
    await said.getByText(/^You are being rate limited\./).waitFor();
    await react();
    await said.getByText(/^You can try again in \d+ s\.$/).waitFor();
    expect(reactions.count()).toBe(1);
    await close();
  });

  it('in the part that requested it, and not in the page around it', { tags: ['slow'] }, async () => {
    const { id } = await createApplication(ada, 'Badger bot');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${id}/general`);
    await page.getByLabel('Name', { exact: true }).waitFor();
    const { writer } = server.app.db;
    await writer.$executeRawUnsafe('ALTER TABLE "Interaction" RENAME TO "Gone"');
    await page.getByRole('link', { name: 'Interactions' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    // One alert is that of the log, and one is that of the numbers above it.
    await alert.getByText('Something went wrong on the server.').nth(1).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Badger bot' }).waitFor();
    await writer.$executeRawUnsafe('ALTER TABLE "Gone" RENAME TO "Interaction"');
    // The log may request its data again in the meantime.
    const again = page.getByRole('button', { name: 'Try again' });
    await expect
      .poll(async () => {
        for (const button of await again.all()) await button.click({ timeout: 500 }).catch(() => undefined);
        return alert.count();
      })
      .toBe(0);
    await close();
  });
});
