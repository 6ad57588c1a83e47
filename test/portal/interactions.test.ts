import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestFirst, partAt, withRow } from '../../portal/src/pages/applications/interactions/interaction-log.js';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { MovableClock } from '../harness/clock.js';
import { putCommand } from '../harness/command-rows.js';
import { startEndpoint } from '../harness/endpoint.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { putInteraction } from '../harness/interaction-rows.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { ask as send } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';
import type { TestGuild } from '../harness/world.js';

const clock = new MovableClock();
let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  server = await startServer({ clock, env: { ALLOW_PRIVATE_ENDPOINTS: 'on' } });
  if (noBrowser === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});

interface Installed {
  application: MadeApplication;
  guild: MadeGuild;
  /** Runs the command once. The bot responds if `answer` is true. The command fails if no bot is connected. */
  run(answer?: boolean): Promise<void>;
  connect(): Promise<GatewayClient>;
}

async function installed(owner: Person, name = 'Otter bot'): Promise<Installed> {
  const application = await createApplication(owner, name);
  const guild = await createGuild(owner);
  await install(owner, application, guild);
  const { id: commandId } = await putCommand(server.app, BigInt(application.id), { name: 'dive' });
  let session: GatewayClient | undefined;
  return {
    application,
    guild,
    async connect() {
      session = await GatewayClient.open(server.origin);
      await session.ready(application.botToken);
      return session;
    },
    async run(answer = false) {
      const running = owner.graphql(
        'mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id } } }',
        { input: { channelId: guild.textChannelId, commandId: String(commandId) } },
      );
      if (!session) await clock.advanceOnceWaiting(3_000);
      await running;
      if (!answer || !session) return;
      const { id, token } = (await session.event('INTERACTION_CREATE')).d;
      const json = { type: 4, data: { content: 'Splash' } };
      await send(server, 'POST', `/interactions/${id}/${token}/callback`, { json });
    },
  };
}

const rows = (page: Page) => page.getByRole('list', { name: 'Interactions' }).getByRole('listitem');

const pathOf = ({ id }: { id: string }) => `/applications/${id}/interactions`;

const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

describe('the log of interactions', () => {
  const Rows = fc.uniqueArray(
    fc.bigInt({ min: 1n, max: 10n ** 19n }).map((id) => ({ id: String(id) })),
    {
      selector: ({ id }) => id,
    },
  );

  it('lists each one once, the newest first, and holds back those that are newer than the last seen one', () => {
    fc.assert(
      fc.property(Rows, fc.nat(), fc.nat(), (all, split, mark) => {
        const read = all.slice(0, split % (all.length + 1));
        const live = all.reduce<{ id: string }[]>(withRow, []);
        const list = newestFirst(read, live);
        expect(list.map(({ id }) => BigInt(id))).toEqual(
          all.map(({ id }) => BigInt(id)).sort((one, other) => (one < other ? 1 : -1)),
        );
        const newest = list[mark % Math.max(1, list.length)]?.id ?? null;
        const { shown, waiting } = partAt(list, newest);
        expect([...waiting, ...shown]).toEqual(list);
        expect(shown[0]?.id ?? null).toBe(newest);
      }),
    );
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the interactions'), () => {
  it('the endpoint field shows a failed check, saves a URL that works, and asks before it is removed', async () => {
    const ada = await signUp(server, 'ada');
    const application = await createApplication(ada, 'Otter bot');
    const endpoint = await startEndpoint({ publicKey: application.publicKey });
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(application));
    const field = page.getByLabel('Endpoint URL');
    const report = page.getByRole('region', { name: 'Test results' });
    endpoint.mode('acceptsBad');
    await field.fill(endpoint.url);
    await page.getByRole('button', { name: 'Test' }).click();
    await report.getByText('1 check failed.').waitFor();
    await report.getByText('to a request with an invalid signature').waitFor();
    await report.getByText(`POST ${endpoint.url}`).last().waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The interactions endpoint could not be verified.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe(endpoint.url);
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    endpoint.mode('good');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Saved').waitFor();
    await field.fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove the endpoint URL?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    const urlNow = async () =>
      (await ada.graphql('query ($id: ID!) { application(id: $id) { interactionsEndpointUrl } }', application))
        .application.interactionsEndpointUrl;
    expect(await urlNow()).toBe(endpoint.url);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(urlNow).toBeNull();
    expect(faults).toEqual([]);
    await close();
    await endpoint.close();
  });

  it('a listener is shown next to the endpoint until it ends', async () => {
    const ada = await signUp(server, 'lin');
    const application = await createApplication(ada, 'Otter bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(application));
    await page.getByLabel('Endpoint URL').waitFor();
    const note = page.getByText('receives all interactions now');
    expect(await note.count()).toBe(0);
    const client = socketClient(server, { token: ada.token });
    await subscribe(client, 'subscription ($id: ID!) { interactionForwarded(applicationId: $id) { id } }', {
      id: application.id,
    });
    await note.waitFor();
    await client.dispose();
    await note.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('the endpoint field shows an error for an invalid URL, and keeps what was typed', {
    tags: ['slow'],
  }, async () => {
    const bob = await signUp(server, 'bob');
    const application = await createApplication(bob);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(pathOf(application));
    const field = page.getByLabel('Endpoint URL');
    await field.fill('ftp://otter');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await field.inputValue()).toBe('ftp://otter');
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown at once, announce new ones without moving the others, and lead to their timelines', async () => {
    const cal = await signUp(server, 'cal');
    const { application, guild, run, connect } = await installed(cal);
    const { page, faults, open, close } = await openPortal(browser, server, cal);
    await open(pathOf(application));
    await page.getByText('No interactions in the last 7 days.').waitFor();
    const runLink = page.getByRole('link', { name: `Run a command in ${guild.name}` });
    expect(await runLink.getAttribute('href')).toBe(`/portal/servers/${guild.id}/channels/${guild.textChannelId}`);
    await run();
    await rows(page).getByText('failed', { exact: true }).waitFor();
    const session = await connect();
    await run(true);
    await page.getByRole('button', { name: 'Show 1 new interaction' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Show 1 new interaction' }).click();
    await rows(page).first().getByText('answered').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await run(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Show 1 new interaction' }).click();
    expect(await rows(page).count()).toBe(3);
    await rows(page).first().getByRole('link', { name: 'dive' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Sent over the gateway').waitFor();
    await timeline.getByText('Initial response').waitFor();
    await page.getByText('Command · cal').waitFor();
    const why = page.getByRole('link', { name: 'Why could this user run this command?' });
    await page.setViewportSize({ width: 800, height: 400 });
    await why.click();
    const explainer = page.getByRole('region', { name: 'Check access' });
    await explainer.getByText('Yes', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/portal/servers/${guild.id}/integrations/${application.id}`);
    await expect.poll(() => explainer.getByRole('combobox', { name: 'Person' }).inputValue()).toBe('cal');
    expect(await explainer.getByLabel('Command').locator('option:checked').textContent()).toBe('/dive');
    expect(await explainer.getByLabel('Channel').inputValue()).toBe(guild.textChannelId);
    expect(await explainer.evaluate((card) => card.getBoundingClientRect().top < window.innerHeight)).toBe(true);
    await page.goBack();
    await page.getByRole('link', { name: 'All interactions' }).click();
    await rows(page).first().waitFor();
    expect(faults).toEqual([]);
    await session.close();
    await close();
  });

  it('the page shows why an endpoint failed, and its health', { tags: ['slow'] }, async () => {
    const dan = await signUp(server, 'dan');
    const { application, run, connect } = await installed(dan);
    const endpoint = await startEndpoint({ publicKey: application.publicKey });
    await dan.graphql(
      'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }',
      {
        input: { applicationId: application.id, interactionsEndpointUrl: endpoint.url },
      },
    );
    endpoint.mode('error');
    const session = await connect();
    await run(true);
    const { page, faults, open, close } = await openPortal(browser, server, dan, { width: 360, dark: true });
    await open(pathOf(application));
    await rows(page).getByText('fallback').waitFor();
    const health = page.getByRole('region', { name: 'Health' });
    expect(await health.locator('dd').allTextContents()).toEqual(['0', '1', '0', '–', '–']);
    expect(await scrollsSideways(page)).toBe(false);
    await rows(page).getByRole('link', { name: 'dive' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('status 500').waitFor();
    await timeline.getByText('Request and response').first().click();
    await timeline.locator('pre').first().waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    expect(faults).toEqual([]);
    await session.close();
    await endpoint.close();
    await close();
  });

  it('the log loads older ones below those that are shown', { tags: ['slow'] }, async () => {
    const eve = await signUp(server, 'eve');
    const { application, guild, run } = await installed(eve);
    const place = { id: BigInt(guild.id), channel: { id: BigInt(guild.textChannelId) }, owner: { id: BigInt(eve.id) } };
    const at = { bot: { id: BigInt(application.id) }, guild: place as TestGuild };
    for (let count = 0; count < 52; count += 1) await putInteraction(server.app, at);
    const { page, faults, open, close } = await openPortal(browser, server, eve);
    await open(pathOf(application));
    await rows(page).nth(49).waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByRole('button', { name: 'Load older' }).click();
    await rows(page).nth(51).waitFor();
    expect(await page.getByRole('button', { name: 'Load older' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Pause' }).click();
    await run();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Show 1 new interaction' }).click();
    await rows(page).nth(52).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown to a read-only member, with the reason why nothing can be changed', {
    tags: ['slow'],
  }, async () => {
    const fay = await signUp(server, 'fay');
    const gil = await signUp(server, 'gil');
    const { application, run } = await installed(fay);
    const team = await createTeam(fay);
    await addToTeam(fay, team, gil, 'READ_ONLY');
    await transferApplication(fay, application, team);
    await run();
    const { page, faults, open, close } = await openPortal(browser, server, gil);
    await open(pathOf(application));
    await page.getByText('You need the developer role.').waitFor();
    expect(await page.getByLabel('Endpoint URL').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Test' }).isDisabled()).toBe(true);
    await rows(page).first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
