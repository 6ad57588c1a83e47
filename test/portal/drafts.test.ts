import { rm } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { buildAnew } from '../harness/builds.js';
import type { ThrowAwayDatabase } from '../harness/databases.js';
import { type Front, openFront } from '../harness/front.js';
import {
  createApplication,
  createGuild,
  invite,
  type MadeApplication,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { openPortal, type PortalTab } from '../harness/portal.js';
import { freePort } from '../harness/ports.js';
import { type RunningInstance, startInstance } from '../harness/process.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';

const TYPED = 'What I typed, all of it';

async function typeIn({ page, open }: PortalTab, application: MadeApplication): Promise<void> {
  await open(`/applications/${application.id}/general`);
  await page.getByLabel('Description').fill(TYPED);
  await untilAtHome(page);
}

async function untilAtHome(page: Page): Promise<void> {
  await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
}

async function goOn(page: Page, person: Person, { id }: MadeApplication): Promise<void> {
  expect(await page.getByLabel('Description').inputValue()).toBe(TYPED);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
  const { application } = await person.graphql('query ($id: ID!) { application(id: $id) { description } }', { id });
  expect(application.description).toBe(TYPED);
}

const stateOf = (page: Page, state: string) => page.getByRole('banner').getByText(state);

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'unsaved text is kept'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  describe('when the session ends', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startServer();
    });
    afterAll(() => server.stop());

    async function signOut({ cookie }: Person): Promise<void> {
      const headers = { cookie, origin: server.origin, 'content-type': 'application/json' };
      const answer = await fetch(`${server.origin}/auth/sign-out`, { method: 'POST', headers, body: '{}' });
      expect(answer.status).toBe(200);
    }

    it('if the same user signs in again, in one tab for all', { tags: ['slow'] }, async () => {
      const ada = await signUp(server, 'ada');
      const application = await createApplication(ada, 'Otter bot');
      const tab = await openPortal(browser, server, ada);
      await typeIn(tab, application);
      const { page } = tab;
      const other = await page.context().newPage();
      await other.goto('/portal');
      // The page must know its user and be connected to notice the end of the session.
      await other.getByRole('button', { name: 'Account of ada' }).waitFor();
      await other.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
      await signOut(ada);
      const dialogs = [page, other].map((each) => each.getByRole('dialog', { name: 'Your session has ended' }));
      for (const dialog of dialogs) await dialog.waitFor();
      const [dialog = page.getByRole('dialog')] = dialogs;
      await page.keyboard.press('Escape');
      expect(await dialog.getByLabel('E-mail address').inputValue()).toBe(ada.email);
      await dialog.getByLabel('Password').fill('wrong password');
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Password').fill(ada.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      for (const each of dialogs) await each.waitFor({ state: 'detached' });
      await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
      expect(await page.getByLabel('Description').inputValue()).toBe(TYPED);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
      const row = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
      expect(row.description).toBe(TYPED);
      await tab.close();
    });

    it('and so are messages that come before and after the next sign-in', { tags: ['slow'] }, async () => {
      const [dan, eve] = [await signUp(server, 'dan'), await signUp(server, 'eve')];
      const guild = await createGuild(dan, 'Harbour');
      await invite(dan, guild, eve);
      const tab = await openPortal(browser, server, eve);
      await tab.open(`/servers/${guild.id}/channels/${guild.textChannelId}`);
      const { page } = tab;
      await page.getByLabel(/^Message #/).fill(TYPED);
      await untilAtHome(page);
      await signOut(eve);
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await sendMessage(dan, guild.textChannelId, 'meanwhile');
      await dialog.getByLabel('Password').fill(eve.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      const said = (text: string) => page.getByRole('log').getByText(text, { exact: true });
      await said('meanwhile').waitFor();
      await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
      await sendMessage(dan, guild.textChannelId, 'afterwards');
      await said('afterwards').waitFor();
      expect(await page.getByLabel(/^Message #/).inputValue()).toBe(TYPED);
      await tab.close();
    });

    it('but not for another user, who gets the home page', { tags: ['slow'] }, async () => {
      const [bob, cleo] = [await signUp(server, 'bob'), await signUp(server, 'cleo')];
      const tab = await openPortal(browser, server, bob);
      const { page } = tab;
      const guild = await createGuild(bob, 'Bobs server');
      await tab.open(`/servers/${guild.id}/channels/${guild.textChannelId}`);
      await page.getByLabel(/^Message #/).fill(TYPED);
      await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
      await signOut(bob);
      const questions: string[] = [];
      page.on('dialog', (question) => {
        questions.push(question.type());
        void question.dismiss();
      });
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByLabel('E-mail address').fill(cleo.email);
      await dialog.getByLabel('Password').fill(cleo.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await page.getByRole('button', { name: 'Account of cleo' }).waitFor();
      expect(await page.content()).not.toMatch(/Bobs server|What I typed/);
      expect(questions).toEqual([]);
      await tab.close();
    });
  });

  describe('when the user would leave it', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startServer();
    });
    afterAll(() => server.stop());

    it("in a dialog, after the browser's buttons and the keys that lead to another page", async () => {
      const { page, faults, open, close } = await openPortal(browser, server, await signUp(server, 'fay'));
      await open('/teams');
      await page.getByRole('link', { name: 'Applications', exact: true }).click();
      await page.getByRole('button', { name: 'New application' }).click();
      const dialog = page.getByRole('dialog', { name: 'New application' });
      await dialog.getByLabel('Name').fill(TYPED);
      const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
      await page.goBack();
      await question.locator(':focus').waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await dialog.getByLabel('Name').inputValue()).toBe(TYPED);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('Account');
      await page.keyboard.press('Enter');
      await question.getByRole('button', { name: 'Stay' }).click();
      expect(await dialog.getByLabel('Name').inputValue()).toBe(TYPED);
      await page.goBack();
      await question.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
      expect(faults).toEqual([]);
      await close();
    });

    it('and so is a secret that is shown once, until it is stored', { tags: ['slow'] }, async () => {
      const { page, faults, open, close } = await openPortal(browser, server, await signUp(server, 'gus'));
      await open('/teams');
      await page.getByRole('link', { name: 'Applications', exact: true }).click();
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByLabel('Name').fill('Otter bot');
      await page.getByRole('button', { name: 'Create' }).click();
      const dialog = page.getByRole('dialog', { name: 'Secrets for Otter bot' });
      await dialog.waitFor();
      await page.keyboard.press('Control+k');
      const question = page.getByRole('alertdialog', { name: 'Leave without storing the secret?' });
      await page.goBack();
      await question.getByRole('button', { name: 'Stay' }).click();
      expect(await page.getByRole('combobox').count()).toBe(0);
      await dialog.getByLabel('I have stored them').check();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
      expect(await question.count()).toBe(0);
      expect(faults).toEqual([]);
      await close();
    });

    it('after a newer build replaced this one: a page that cannot be loaded waits for a button', {
      tags: ['slow'],
    }, async () => {
      const hal = await signUp(server, 'hal');
      const guild = await createGuild(hal, 'Harbour');
      const { page, open, close } = await openPortal(browser, server, hal);
      await page.clock.install();
      await open(`/servers/${guild.id}/channels/${guild.textChannelId}`);
      await page.getByLabel(/^Message #/).fill(TYPED);
      await page.route('**/portal/assets/**', (route) => route.fulfill({ status: 404 }));
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.clock.runFor(30_000);
      await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Boxes' }).click();
      await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
      await page.getByText('Reloading discards everything you have not sent or saved.').waitFor();
      await page.clock.runFor(30_000);
      expect(asked).not.toContain('/portal');
      await page.goBack();
      expect(await page.getByLabel(/^Message #/).inputValue()).toBe(TYPED);
      await close();
    });
  });

  describe('when the network is cut', { tags: ['slow'] }, () => {
    let front: Front;
    let server: TestServer;
    let ada: Person;
    let application: MadeApplication;
    beforeAll(async () => {
      front = await openFront();
      server = await startServer({ env: { PUBLIC_URL: front.origin } });
      front.leadTo(server.app.addresses.listeningAt);
      ada = await signUp({ ...server, origin: server.app.addresses.listeningAt }, 'ada');
      application = await createApplication(ada, 'Otter bot');
    });
    afterAll(async () => {
      front.close();
      await server.stop();
    });

    it('after a save that failed, and changes by others come once the network is back', async () => {
      const tab = await openPortal(browser, { origin: front.origin }, ada);
      await typeIn(tab, application);
      const { page } = tab;
      front.leadTo('http://localhost:9');
      front.cut();
      await stateOf(page, 'Reconnecting…').waitFor();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('The server could not be reached. Your input is still here; try again.').waitFor();
      await update(ada, application.id, { name: 'Badger bot' });
      front.leadTo(server.app.addresses.listeningAt);
      await stateOf(page, 'Up to date').waitFor();
      await page.getByRole('heading', { level: 1, name: 'Badger bot' }).waitFor();
      await goOn(page, ada, application);
      await tab.close();
    });

    it('if the page did not know its user yet', { tags: ['slow'] }, async () => {
      const tab = await openPortal(browser, { origin: front.origin }, ada);
      const { page, open } = tab;
      const asksWho = /query Frame\b/;
      await page.route('/graphql', (route) =>
        asksWho.test(route.request().postData() ?? '') ? route.abort() : route.fallback(),
      );
      const failed = page.waitForEvent('requestfailed', (request) => asksWho.test(request.postData() ?? ''));
      await open(`/applications/${application.id}/general`);
      await page.getByLabel('Description').fill(TYPED);
      await failed;
      await page.unroute('/graphql');
      await page.getByRole('button', { name: /^Account of/ }).waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe(TYPED);
      await tab.close();
    });

    it('and a page whose file cannot be loaded opens automatically once the network is back', {
      tags: ['slow'],
    }, async () => {
      const tab = await openPortal(browser, { origin: front.origin }, ada);
      const { page } = tab;
      await tab.open('/applications');
      await page.getByRole('link', { name: 'Badger bot' }).waitFor();
      front.leadTo('http://localhost:9');
      front.cut();
      await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Boxes' }).click();
      await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
      await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Applications' }).click();
      await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
      await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Boxes' }).click();
      front.leadTo(server.app.addresses.listeningAt);
      await page.getByRole('heading', { level: 1, name: 'Boxes' }).waitFor({ timeout: 30_000 });
      await tab.close();
    });
  });

  describe('when the server', () => {
    let database: ThrowAwayDatabase | null;
    let env: Record<string, string>;
    let instance: RunningInstance;
    let ada: Person;
    let application: MadeApplication;
    beforeAll(async () => {
      database = await migratedDatabase();
      env = {
        DATA_DIR: await migratedFolder(),
        PORT: String(await freePort()),
        ...(database ? { DATABASE_URL: database.url } : {}),
      };
      instance = await startInstance(env);
      ada = await signUp(instance, 'ada');
      application = await createApplication(ada, 'Otter bot');
    });
    afterAll(async () => {
      await instance?.end('SIGTERM');
      await database?.drop();
      await rm(env.DATA_DIR ?? '', { recursive: true, force: true });
    });

    it('is killed and started again', { tags: ['slow'] }, async () => {
      const tab = await openPortal(browser, instance, ada);
      await typeIn(tab, application);
      await instance.end('SIGKILL');
      await stateOf(tab.page, 'Reconnecting…').waitFor();
      instance = await startInstance(env);
      await stateOf(tab.page, 'Up to date').waitFor();
      await update(ada, application.id, { name: 'Badger bot' });
      await tab.page.getByRole('heading', { level: 1, name: 'Badger bot' }).waitFor();
      await goOn(tab.page, ada, application);
      await tab.close();
    });

    it('is replaced by another build, which serves the pages that were not open yet', { tags: ['slow'] }, async () => {
      await update(ada, application.id, { description: '' });
      const tab = await openPortal(browser, instance, ada);
      await typeIn(tab, application);
      const { page } = tab;
      const scripts = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('script[type=module]')].map((script) => script.getAttribute('src')),
        );
      const before = await scripts();
      await instance.end('SIGTERM');
      const build = await buildAnew();
      instance = await startInstance(env, undefined, build.entryPoint);
      await stateOf(page, 'Up to date').waitFor();
      const commands = page.getByRole('link', { name: 'Commands' });
      await commands.hover();
      await commands.click();
      await page
        .getByRole('alertdialog', { name: 'Leave without saving?' })
        .getByRole('button', { name: 'Stay' })
        .click();
      await goOn(page, ada, application);
      expect(await scripts()).toEqual(before);
      await commands.click();
      await page
        .getByRole('button', { name: 'New command' })
        .or(page.getByRole('link', { name: 'New command' }))
        .waitFor();
      expect(await scripts()).not.toEqual(before);
      await tab.close();
      await build.remove();
    });
  });
});
