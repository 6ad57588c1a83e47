import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { nextSubscription } from '../harness/listeners.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam, type MadeTeam, renameTeam } from '../harness/teams.js';

describe.skipIf(noBrowser)(needing(noBrowser, 'GraphiQL with a session under Headers'), () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Person;
  let team: MadeTeam;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), openBrowser()]);
    ada = await signUp(server, 'ada');
    team = await createTeam(ada, 'Otters');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** GraphiQL in a fresh profile, with an operation and these headers typed in. */
  async function open(query: string, headers: object): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${server.origin}/graphql?${new URLSearchParams({ query })}`);
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.insertText(JSON.stringify(headers));
    return page;
  }

  /** Runs one of the operations, which the page offers by their names. */
  async function run(page: Page, name: string): Promise<void> {
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name }).click();
  }

  const result = (page: Page) => page.locator('.result-window').innerText();

  it('changes things, and subscribes until that session signs out', async () => {
    const page = await open(
      `mutation Rename { updateTeam(input: { teamId: "${team.id}", name: "Badgers" }) { team { name } } }
       subscription Watch { teamChanged(teamId: "${team.id}") { name } }`,
      { authorization: `Bearer ${ada.token}` },
    );
    await run(page, 'Rename');
    await expect.poll(() => result(page), { timeout: 20_000 }).toContain('Badgers');

    const listening = nextSubscription(server);
    await run(page, 'Watch');
    await listening.begun;
    listening.forget();
    await renameTeam(ada, team, 'Weasels');
    await expect.poll(() => result(page), { timeout: 20_000 }).toContain('Weasels');

    const headers = { authorization: `Bearer ${ada.token}` };
    await fetch(`${server.origin}/auth/sign-out`, { method: 'POST', headers });
    await expect.poll(() => result(page), { timeout: 20_000 }).toContain('UNAUTHENTICATED');
    await page.context().close();
  });
});
