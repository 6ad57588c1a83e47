import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { noBrowser, openBrowser, openTab, type Tab } from '../harness/browser.js';
import {
  createApplication,
  createGuild,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

/** A client's site. Its callback redirects to another origin of its own, as many do. */
interface Client {
  callback: string;
  arrivals: { url: URL; referer: string | undefined }[];
  close(): void;
}

async function openClient(): Promise<Client> {
  const arrivals: Client['arrivals'] = [];
  const home = await listen((_request, respond) =>
    respond(200, { 'content-type': 'text/html' }, '<h1>Welcome back</h1>'),
  );
  const site = await listen((request, respond) => {
    const url = new URL(request.url ?? '/', 'http://client.example');
    if (url.pathname !== '/callback') return respond(404, {}, '');
    arrivals.push({ url, referer: request.headers.referer });
    respond(302, { location: `${home.origin}/home` }, '');
  });
  return {
    callback: `${site.origin}/callback`,
    arrivals,
    close() {
      for (const { server } of [home, site]) server.close().closeAllConnections();
    },
  };
}

type Respond = (status: number, headers: Record<string, string>, body: string) => void;

async function listen(handle: (request: IncomingMessage, respond: Respond) => void) {
  const server: Server = createServer((request, response) =>
    handle(request, (status, headers, body) => response.writeHead(status, headers).end(body)),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(noBrowser)(needing(noBrowser, 'the authorization screen in a browser without scripts'), () => {
  let server: TestServer;
  let browser: Browser;
  let client: Client;
  let ada: Person;
  let harbour: MadeGuild;
  let application: MadeApplication;

  beforeAll(async () => {
    [server, browser, client] = await Promise.all([startServer(), openBrowser(), openClient()]);
    ada = await signUp(server, 'ada');
    harbour = await createGuild(ada, 'Harbour');
    await createGuild(ada, 'Dock');
    application = await createApplication(ada, 'Lighthouse');
    await setColumns({ redirectUris: [client.callback] });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    client?.close();
    await server?.stop();
  });

  const setColumns = (data: { redirectUris?: string[]; userInstall?: boolean }) =>
    server.app.db.writer.application.update({ where: { id: BigInt(application.id) }, data });

  const link = (query: Record<string, string>) =>
    `${server.origin}/oauth2/authorize?${new URLSearchParams({ client_id: application.id, ...query })}`;

  const PERMISSIONS = Permission.KickMembers | Permission.SendMessages | Permission.EmbedLinks;

  const linkForBot = (state: string) =>
    link({
      scope: 'bot identify email',
      permissions: String(PERMISSIONS),
      response_type: 'code',
      redirect_uri: client.callback,
      state,
    });

  async function inTab(options: { width?: number; dark?: boolean }, run: (tab: Tab) => Promise<void>): Promise<void> {
    const tab = await openTab(browser, options);
    try {
      await run(tab);
      expect(tab.violations).toEqual([]);
    } finally {
      await tab.context.close();
    }
  }

  async function untilAsked({ page }: Pick<Tab, 'page'>): Promise<void> {
    await page.getByRole('heading', { level: 1, name: 'Authorize Lighthouse?' }).waitFor();
    await page.waitForLoadState();
  }

  async function signIn({ page }: Tab): Promise<void> {
    await page.getByLabel('E-mail address').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilAsked({ page });
  }

  const arrival = (state: string) => {
    const found = client.arrivals.find(({ url }) => url.searchParams.get('state') === state);
    return { referer: found?.referer, parameters: Object.fromEntries(found?.url.searchParams ?? []) };
  };

  it('leads from the link through sign-in to the client, with the chosen scopes and permissions', () =>
    inTab({}, async (tab) => {
      const { page } = tab;
      await page.goto(linkForBot('whole'));
      await page.getByLabel('E-mail address').fill(ada.email);
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').textContent()).toBe('The email address or password is incorrect.');
      await signIn(tab);

      await page.getByLabel('Server', { exact: true }).selectOption({ label: 'Harbour' });
      await page.getByLabel('Read your email address').uncheck();
      await page.getByRole('group', { name: 'Bot permissions' }).getByLabel('Kick members').uncheck();
      await page.getByRole('button', { name: 'Authorize' }).click();

      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      const { parameters, referer } = arrival('whole');
      const kept = String(Permission.SendMessages | Permission.EmbedLinks);
      expect(parameters).toMatchObject({ code: expect.any(String), guild_id: harbour.id, permissions: kept });
      expect(referer).toBeUndefined();
      const where = { applicationId: BigInt(application.id), userId: BigInt(ada.id) };
      const grants = await server.app.db.reader.oAuthGrant.findMany({ where });
      expect(grants.map(({ scopes }) => scopes)).toEqual([['bot', 'identify']]);
    }));

  it('lets a visitor without an account sign up on the way', () =>
    inTab({ width: 360 }, async ({ page }) => {
      await page.goto(linkForBot('new'));
      await page.getByRole('link', { name: 'Sign up' }).click();
      await page.getByLabel('Username').fill('newcomer');
      await page.getByLabel('E-mail address').fill('newcomer@people.example');
      await page.getByLabel('Password').fill('short');
      await page.getByRole('button', { name: 'Sign up' }).click();
      expect(await page.locator('#password:invalid').count()).toBe(1);
      await page.getByLabel('Password').fill('long enough');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await untilAsked({ page });
      expect(await page.getByText('Signed in as newcomer').isVisible()).toBe(true);
    }));

  it('reports a refusal to the client, even if no server is chosen', () =>
    inTab({}, async (tab) => {
      await tab.page.goto(linkForBot('no'));
      await signIn(tab);
      await tab.page.getByRole('button', { name: 'Cancel' }).click();
      await tab.page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      expect(arrival('no').parameters).toMatchObject({ error: 'access_denied', iss: server.origin });
    }));

  it('works with the keyboard alone, and always shows the focus', () =>
    inTab({}, async ({ page }) => {
      const focused = () =>
        page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const name = element.textContent?.trim() || element.getAttribute('value') || '';
          return { name, isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 };
        });
      const goTo = async (name: string) => {
        for (let presses = 0; presses < 30; presses += 1) {
          await page.keyboard.press('Tab');
          const at = await focused();
          expect(at.isSeen, `the focus on ${at.name} can be seen`).toBe(true);
          if (at.name.includes(name)) return;
        }
        throw new Error(`the Tab key does not lead to ${name}`);
      };
      await page.goto(linkForBot('keys'));
      await page.locator('input[type="email"]:focus').waitFor();
      await page.keyboard.type(ada.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(ada.password);
      await page.keyboard.press('Enter');
      await untilAsked({ page });
      await goTo('Choose a server');
      await page.keyboard.type('Harb');
      await goTo('email');
      await page.keyboard.press('Space');
      await goTo(String(Permission.KickMembers));
      await page.keyboard.press('Space');
      await goTo('Authorize');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      expect(arrival('keys').parameters).toMatchObject({
        guild_id: harbour.id,
        permissions: String(Permission.SendMessages | Permission.EmbedLinks),
      });
    }));

  it('shows a mistake where the user notices it', () =>
    inTab({}, async (tab) => {
      const { page } = tab;
      await page.goto(linkForBot('mistake'));
      await signIn(tab);
      await page.getByLabel('Add its bot to a server').check();
      await page.getByRole('button', { name: 'Authorize' }).click();
      const field = page.getByLabel('Server', { exact: true });
      expect(await page.getByRole('alert').textContent()).toContain('Choose a server.');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      const description = await field.getAttribute('aria-describedby');
      expect(await page.locator(`#${description}`).textContent()).toBe('Choose a server.');
    }));

  it('fits a phone and dark mode, and asks only for what the chosen context needs', () =>
    inTab({ width: 360, dark: true }, async (tab) => {
      const { page } = tab;
      await setColumns({ userInstall: true });
      await page.goto(link({ permissions: String(PERMISSIONS) }));
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      expect(await width()).toBe(360);
      await signIn(tab);
      expect(await width()).toBe(360);
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(31, 34, 40)');
      const ofServers = [page.getByLabel('Server', { exact: true }), page.getByLabel('Kick members')];
      for (const part of ofServers) expect(await part.isVisible()).toBe(true);
      await page.getByLabel('To my account').check();
      for (const part of ofServers) expect(await part.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.getByText('was added to your account').waitFor();
      await page.reload();
      await page.getByText('was added to your account').waitFor();
    }));

  it('does not render in a frame of another site', () =>
    inTab({}, async ({ page, violations }) => {
      const source = link({ scope: 'bot' }).replaceAll('&', '&amp;');
      const framing = await listen((_request, respond) =>
        respond(200, { 'content-type': 'text/html' }, `<iframe src="${source}">`),
      );
      try {
        await page.goto(framing.origin);
        const [, frame] = page.frames();
        await frame?.waitForLoadState();
        expect(frame?.url()).toMatch(/^chrome-error:/);
        expect(violations.splice(0)).toEqual([expect.stringContaining('frame-ancestors')]);
      } finally {
        framing.server.close().closeAllConnections();
      }
    }));
});
