import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { nextSubscription } from '../harness/listeners.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam, inviteToTeam, type MadeTeam, renameTeam } from '../harness/teams.js';

describe.skipIf(noBrowser)(needing(noBrowser, 'GraphiQL'), () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Person;
  let bob: Person;
  let adas = 0;
  let team: MadeTeam;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), openBrowser()]);
    bob = await signUp(server, 'bob');
  });
  beforeEach(async () => {
    ada = await signUp(server, `ada${++adas}`);
    team = await createTeam(ada, 'Otters');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const newPage = async () => (await browser.newContext()).newPage();

  async function open(page: Page, query: string): Promise<void> {
    await page.goto(`${server.origin}/graphql?${new URLSearchParams({ query })}`);
  }

  async function typeHeaders(page: Page, headers: object): Promise<void> {
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.insertText(JSON.stringify(headers));
  }

  async function signIn(page: Page, { email, password }: Person): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${server.origin}/portal`);
  }

  async function run(page: Page, name?: string): Promise<void> {
    await page.locator('.graphiql-execute-button').click();
    if (name) await page.getByRole('menuitem', { name }).click();
  }

  const shows = (page: Page, text: string) =>
    expect.poll(() => page.locator('.result-window').innerText(), { timeout: 20_000 }).toContain(text);

  async function listensAfter(subscribing: () => Promise<void>): Promise<void> {
    const listening = nextSubscription(server);
    await subscribing();
    await listening.begun;
    listening.forget();
  }

  it('runs mutations and subscriptions with the token under Headers, until its session signs out', async () => {
    const page = await newPage();
    await open(
      page,
      `mutation Rename { updateTeam(input: { teamId: "${team.id}", name: "Badgers" }) { team { name } } }
       subscription Watch { teamChanged(teamId: "${team.id}") { name } }`,
    );
    const headers = { authorization: `Bearer ${ada.token}` };
    await typeHeaders(page, headers);
    await run(page, 'Rename');
    await shows(page, 'Badgers');

    await listensAfter(() => run(page, 'Watch'));
    await renameTeam(ada, team, 'Weasels');
    await shows(page, 'Weasels');

    await fetch(`${server.origin}/auth/sign-out`, { method: 'POST', headers });
    await shows(page, 'UNAUTHENTICATED');
    await page.context().close();
  });

  it('links to the sign-in page, and then runs operations as the signed-in user', async () => {
    const page = await newPage();
    await page.goto(`${server.origin}/graphql`);
    await run(page);
    await shows(page, 'UNAUTHENTICATED');
    await expect.poll(() => page.locator('.graphiql-query-editor').innerText()).toContain('Headers');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, bob);
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await run(page);
    await shows(page, bob.id);
    await page.context().close();
  }, 120_000);

  it('loads its large script once, compressed', async () => {
    const page = await newPage();
    await page.goto(`${server.origin}/graphql`);
    await page.locator('.graphiql-execute-button').waitFor();
    const sizes = () =>
      page.evaluate(() => {
        const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
        const script = entries.find(({ name }) => name.includes('/graphql/files/'));
        return { sent: script?.transferSize, whole: script?.decodedBodySize };
      });
    const first = await sizes();
    expect(first.sent).toBeLessThan(2_500_000);
    expect(first.whole).toBeGreaterThan(8_000_000);
    // A navigation uses the cache, but a reload would send a request.
    await page.goto(`${server.origin}/`);
    await page.goto(`${server.origin}/graphql`);
    await page.locator('.graphiql-execute-button').waitFor();
    expect((await sizes()).sent).toBe(0);
    await page.context().close();
  });

  it('subscribes with the session of the browser', async () => {
    const page = await newPage();
    await page.goto(`${server.origin}/oauth2/sign-in`);
    await signIn(page, bob);
    await open(page, 'subscription { portalHomeChanged { teamInvitations { team { name } } } }');
    await listensAfter(() => run(page));
    await inviteToTeam(ada, team, bob, 'DEVELOPER');
    await shows(page, 'Otters');
    await page.context().close();
  });
});
