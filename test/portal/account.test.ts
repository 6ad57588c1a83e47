import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { readZip } from '../harness/archives.js';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { makeOperator } from '../harness/operators.js';
import { createGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const newPerson = (name: string) => signUp(server, name, { 'user-agent': 'Some browser' });

const signIn = ({ email }: Person, password: string) =>
  fetch(`${server.origin}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Another browser' },
    body: JSON.stringify({ email, password }),
  });

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the account'), () => {
  it('only people with a role create personal tokens for the whole instance, which the list marks', async () => {
    const [olga, ben] = [await newPerson('olga'), await newPerson('ben')];
    await makeOperator(server, olga);
    const choice = async (person: Person) => {
      const { page, faults, open, close } = await openPortal(browser, server, person);
      await open('/account');
      await page.getByRole('button', { name: 'New token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Admin');
      return { page, faults, close, dialog, choice: dialog.getByRole('switch', { name: 'Act on the whole instance' }) };
    };
    const without = await choice(ben);
    expect(await without.choice.count()).toBe(0);
    await without.close();
    const { page, faults, close, dialog, choice: whole } = await choice(olga);
    await page.setViewportSize({ width: 360, height: 740 });
    await whole.focus();
    await page.keyboard.press('Space');
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Admin' }).getByText('whole instance').waitFor();
    const { personalTokens } = await olga.graphql('{ personalTokens { name forOperator } }');
    expect(personalTokens).toEqual([{ name: 'Admin', forOperator: true }]);
    expect(faults).toEqual([]);
    await close();
  });

  it('the sign-up form shows errors at its fields, and leads to the requested page', async () => {
    await signUp(server, 'taken');
    const { page, faults, open, close } = await openPortal(browser, server, null);
    await open('/applications');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/portal/applications');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Username').fill('No spaces please');
    await page.getByLabel('E-mail address').fill('taken@people.example');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('[aria-invalid=true]:focus').waitFor();
    expect(await page.getByLabel('Username').inputValue()).toBe('No spaces please');
    await page.getByLabel('Username').fill('newcomer');
    await page.getByLabel('E-mail address').fill('newcomer@people.example');
    await page.getByLabel('Password').fill('long enough a password');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
    faults.splice(0);
    await open('/sign-in?next=/portal/teams');
    await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
    const menu = page.getByRole('button', { name: 'Account of newcomer' });
    await menu.click();
    await page.getByText('newcomer@people.example').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('newcomer@people.example').waitFor({ state: 'hidden' });
    await menu.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    // The menu is closed, so this is the button of the page.
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await menu.click();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await open('/account');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await close();
  });

  it('sign-out closes the pages of all tabs, and asks first only if something on this page would be lost', async () => {
    const ina = await newPerson('ina');
    const guild = await createGuild(ina, 'Secret harbour');
    const { page, open, close } = await openPortal(browser, server, ina);
    await open('/account');
    const other = await page.context().newPage();
    const questions: string[] = [];
    other.on('dialog', (question) => {
      questions.push(question.type());
      void question.dismiss();
    });
    await other.goto(`/portal/servers/${guild.id}/general`);
    await other.getByRole('heading', { level: 1, name: 'Secret harbour' }).waitFor();
    await other.getByRole('link', { name: 'Channels' }).click();
    await other.getByRole('link', { name: 'general', exact: true }).click();
    await other.getByLabel(/^Message #/).fill('What I typed');

    await page.goto(`/portal/servers/${guild.id}/channels/${guild.textChannelId}`);
    await page.getByLabel(/^Message #/).fill('Something else');
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account of ina' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
    };
    await signOut();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel(/^Message #/).inputValue()).toBe('Something else');
    await signOut();
    await question.getByRole('button', { name: 'Leave' }).click();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(await tab.content()).not.toMatch(/Secret harbour|What I typed|ina@/);
    }
    await other.goBack();
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await other.content()).not.toMatch(/Secret harbour|What I typed|ina@/);
    expect(questions).toEqual([]);
    await close();
  });

  it('sign-in does not reveal whether the address or the password is wrong, and redirects only into the portal', {
    tags: ['slow'],
  }, async () => {
    const ada = await newPerson('ada');
    const { page, open, close } = await openPortal(browser, server, null);
    await open('/sign-in?next=https://elsewhere.example/portal');
    const answers = [];
    for (const [email, password] of [
      [ada.email, 'wrong password'],
      ['nobody@people.example', ada.password],
    ] as const) {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      answers.push(await page.getByRole('alert').textContent());
      await expect.poll(() => page.getByLabel('Password').inputValue()).toBe('');
    }
    expect(new Set(answers).size).toBe(1);
    await page.getByLabel('E-mail address').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(new URL(page.url()).origin).toBe(server.origin);
    await close();
  });

  it('the sign-in form shows invalid data at its field, and keeps it if no response comes', {
    tags: ['slow'],
  }, async () => {
    const gus = await newPerson('gus');
    const { page, open, close } = await openPortal(browser, server, null);
    await open('/sign-in');
    const [email, password] = [page.getByLabel('E-mail address'), page.getByLabel('Password')];
    const signInNow = page.getByRole('button', { name: 'Sign in' });
    await email.fill('gus');
    await signInNow.click();
    await page.getByText('Must be a valid email address.').waitFor();
    await page.getByText('Enter your password.').waitFor();
    expect([await email.inputValue(), await page.getByRole('alert').count()]).toEqual(['gus', 0]);
    await email.fill(gus.email);
    await password.fill('wrong password');
    await signInNow.click();
    await page.getByRole('alert').getByText('The email address or password is incorrect.').waitFor();
    await page.route('**/auth/sign-in/email', (route) => route.abort());
    await password.fill(gus.password);
    await signInNow.click();
    await page.getByRole('alert').getByText('The server could not be reached.').waitFor();
    expect(await password.inputValue()).toBe(gus.password);
    await page.unroute('**/auth/sign-in/email');
    await signInNow.click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await close();
  });

  it('the form for a forgotten password shows an invalid address at its field, and keeps it', {
    tags: ['slow'],
  }, async () => {
    const { page, close } = await openPortal(browser, server, null);
    await page.goto('/oauth2/password');
    const email = page.getByLabel('E-mail address');
    await email.evaluate((input) => input.closest('form')?.setAttribute('novalidate', ''));
    await email.fill('gus');
    await page.getByRole('button', { name: 'Send reset link' }).click();
    await page.getByText('Must be a valid email address.').waitFor();
    expect(await email.inputValue()).toBe('gus');
    await close();
  });

  it('the theme is one of those that exist', { tags: ['slow'] }, async () => {
    const { page, open, close } = await openPortal(browser, server, null);
    await open('/sign-in');
    await page.evaluate(() => localStorage.setItem('theme', 'neon'));
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('system');
    await close();
  });

  it('the chosen theme applies before the scripts of a page load', { tags: ['slow'] }, async () => {
    const bea = await newPerson('bea');
    const { page, faults, open, close } = await openPortal(browser, server, bea);
    await open('/account');
    await page.getByLabel('Theme').selectOption('Dark');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.route('**/portal/assets/*.js', (route) => route.abort());
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    expect(await background()).toBe(dark);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['theme']);
    faults.splice(0);
    await close();
  });

  it('a password change signs out all other sessions, and the page lists sessions to end', {
    tags: ['slow'],
  }, async () => {
    const cem = await newPerson('cem');
    await signIn(cem, cem.password);
    const { page, faults, open, close } = await openPortal(browser, server, cem);
    await open('/account');
    const sessions = page.locator('section').filter({ hasText: 'Sessions' }).getByRole('listitem');
    await sessions.filter({ hasText: 'Another browser' }).getByRole('button', { name: 'Sign out' }).click();
    await sessions.filter({ hasText: 'Another browser' }).waitFor({ state: 'detached' });
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').or(page.locator('.fault')).first().waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('another long password');
    await page.getByLabel('Current password').fill(cem.password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed. Your other sessions are signed out.').waitFor();
    expect((await signIn(cem, cem.password)).status).toBe(401);
    expect((await signIn(cem, 'another long password')).status).toBe(200);
    faults.splice(0);
    await close();
  });

  it('an invite is accepted after sign-in, and a missing one shows Not found', {
    tags: ['slow'],
  }, async () => {
    const [dan, eli] = [await newPerson('dan'), await newPerson('eli')];
    const guild = await createGuild(dan, 'Harbour');
    const { createInvite } = await dan.graphql(
      'mutation ($i: ChannelIdInput!) { createInvite(input: $i) { code url } }',
      { i: { channelId: guild.textChannelId } },
    );
    const { page, faults, open, close } = await openPortal(browser, server, null);
    await page.goto(createInvite.url);
    await page.getByLabel('E-mail address').fill(eli.email);
    await page.getByLabel('Password').fill(eli.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('dan invited you').waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    expect(faults).toEqual([]);
    await open('/invite/AbCd1234');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await close();
  });

  it('a person downloads their data with their password', async () => {
    const lou = await signUp(server, 'lou');
    const { page, faults, open, close } = await openPortal(browser, server, lou, { width: 360 });
    await open('/account');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Download my data' });
    await dialog.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('The password is incorrect.').waitFor();
    await dialog.getByLabel('Password').fill(lou.password);
    const download = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    const archive = await readZip(await readFile(await (await download).path()));
    expect(String(archive.get('profile.json'))).toContain(lou.email);
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('It contains 0 messages and 0 files.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});
