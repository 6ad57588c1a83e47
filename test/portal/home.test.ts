import { Client, GatewayIntentBits } from 'discord.js';
import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createApplication, createGuild, install, invite, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { askAnswer, createTeam, inviteTester, inviteToTeam } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the start page'), () => {
  it('leads a new user through three steps, and marks each as done when it is', async () => {
    const ada = await signUp(server, 'ada');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.waitFor();
    expect(await steps.getByText('done').count()).toBe(0);
    const application = await createApplication(ada, 'Otter bot');
    await steps.getByText('done').waitFor();
    const guild = await createGuild(ada);
    await expect.poll(() => steps.getByText('done').count()).toBe(2);
    const link = steps.getByRole('link', { name: 'Install Otter bot on your server' });
    expect(await link.getAttribute('href')).toBe(`/oauth2/authorize?client_id=${application.id}`);
    await install(ada, application, guild);
    await steps.getByRole('heading', { name: 'Next step: start Otter bot' }).waitFor();
    expect(await steps.getByRole('link', { name: guild.name }).count()).toBe(1);
    const way = await steps.getByRole('link', { name: 'Connect your bot to the gateway' }).getAttribute('href');
    expect(way).toBe(`/portal/applications/${application.id}/bot`);
    const bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
    await bot.login(application.botToken);
    await steps.waitFor({ state: 'detached' });
    await bot.destroy();
    expect(faults).toEqual([]);
    await close();
  });

  it('shows invitations when they come, and moves accepted ones into the lists', {
    tags: ['slow'],
  }, async () => {
    const [bob, cleo] = [await signUp(server, 'bob'), await signUp(server, 'cleo')];
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await inviteToTeam(cleo, await createTeam(cleo, 'Sailors'), bob, 'READ_ONLY');
    await inviteTester(cleo, await createApplication(cleo, 'Sail bot'), bob);
    const invitations = page.getByRole('region', { name: 'Invitations' });
    const toTeam = invitations.getByRole('listitem').filter({ hasText: 'Sailors' });
    await toTeam.getByText('cleo invited you to this team. Your role: read-only.').waitFor();
    await page.getByRole('link', { name: '2 invitations' }).waitFor();
    await toTeam.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('region', { name: 'Teams' }).getByRole('link', { name: 'Sailors' }).waitFor();
    await page.getByRole('link', { name: '1 invitation' }).waitFor();
    await invitations
      .getByRole('listitem')
      .filter({ hasText: 'Sail bot' })
      .getByRole('button', { name: 'Decline' })
      .click();
    await invitations.waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: /invitation/ }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows a new tester where to install the application, and keeps the focus on what is left', {
    tags: ['slow'],
  }, async () => {
    const [ida, jan] = [await signUp(server, 'ida'), await signUp(server, 'jan')];
    const application = await createApplication(jan, 'Reed bot');
    await inviteTester(jan, application, ida);
    await inviteToTeam(jan, await createTeam(jan, 'Rowers'), ida, 'ADMIN');
    const { page, faults, open, close } = await openPortal(browser, server, ida);
    await open();
    await page.getByRole('button', { name: 'Decline: Rowers' }).click();
    const accept = page.getByRole('button', { name: 'Accept: Reed bot' });
    await expect.poll(() => accept.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    const install = page.getByRole('link', { name: 'Install Reed bot' });
    expect(await install.getAttribute('href')).toContain(`client_id=${application.id}`);
    expect(faults).toEqual([]);
    await close();
  });

  it('removes an invitation that is revoked while the user looks at it', { tags: ['slow'] }, async () => {
    const [dora, eve] = [await signUp(server, 'dora'), await signUp(server, 'eve')];
    const { page, faults, open, close } = await openPortal(browser, server, dora);
    const invitation = await inviteToTeam(eve, await createTeam(eve, 'Diggers'), dora, 'ADMIN');
    await open();
    await page.getByText('eve invited you to this team. Your role: admin.').waitFor();
    await askAnswer(eve, 'revoke', invitation);
    await page.getByText('eve invited you to this team').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('requires a verified address before an invitation is accepted, and sends the mail again', {
    tags: ['slow'],
  }, async () => {
    const mailed = await startServer({ env: { VERIFY_EMAILS: 'on' } });
    const [fay, gus] = [await signUp(mailed, 'fay'), await signUp(mailed, 'gus')];
    await mailed.app.db.writer.authUser.update({ where: { userId: BigInt(fay.id) }, data: { emailVerified: false } });
    await inviteToTeam(gus, await createTeam(gus, 'Mailers'), fay, 'ADMIN');
    const { page, open, close } = await openPortal(browser, mailed, fay);
    await open();
    await page.getByText('Verify your email address to accept invitations').waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('region', { name: 'Invitations' }).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Resend email' }).click();
    await page.getByText(`Sent to ${fay.email}.`).waitFor();
    const early = { status: 429, headers: { 'retry-after': '60' }, json: { message: 'Too many attempts.' } };
    await page.route('**/auth/send-verification-email', (route) => route.fulfill(early));
    await page.getByRole('button', { name: 'Resend email' }).click();
    await page.getByText(/You can try again in \d+ s\./).waitFor();
    expect(await page.getByRole('button', { name: 'Resend email' }).isDisabled()).toBe(true);
    await mailed.app.db.writer.authUser.update({ where: { userId: BigInt(fay.id) }, data: { emailVerified: true } });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByText('Verify your email address to accept invitations').waitFor({ state: 'detached' });
    await close();
    await mailed.stop();
  });

  it('shows what another browser creates, servers that the user joins, and the API endpoints', {
    tags: ['slow'],
  }, async () => {
    const [hal, ivy] = [await signUp(server, 'hal'), await signUp(server, 'ivy')];
    const { page, faults, open, close } = await openPortal(browser, server, hal);
    await open();
    await page.getByText(`${server.origin}/api`, { exact: true }).waitFor();
    await page.getByText(`${server.origin.replace('http', 'ws')}/gateway`, { exact: true }).waitFor();
    await invite(ivy, await createGuild(ivy, 'Ivys server'), hal);
    await page.getByRole('region', { name: 'Servers' }).getByRole('link', { name: 'Ivys server' }).waitFor();
    await createTeam(hal, 'Hals team');
    await page.getByRole('region', { name: 'Teams' }).getByRole('link', { name: 'Hals team' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
