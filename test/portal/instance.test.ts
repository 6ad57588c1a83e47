import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { readZip } from '../harness/archives.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { makeOperator, OPERATOR_MUTATIONS } from '../harness/operators.js';
import {
  createApplication,
  createGuild,
  invite,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { makeBox } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  ada = await signUp(server, 'ada');
  await makeOperator(server, ada);
});

const SOON = { timeout: 15_000 };

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (part: Page | Locator, name: string) => part.getByRole('button', { name, exact: true });
const entries = (page: Page) =>
  page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').locator('p:first-child');

async function pick(dialog: Locator, label: string, text: string): Promise<void> {
  await dialog.getByRole('combobox', { name: label }).fill(text);
  await dialog.getByRole('option').filter({ hasText: text }).click();
}

async function giveReason(dialog: Locator, reason: string, doIt: string): Promise<void> {
  await dialog.getByLabel('Reason').fill(reason);
  await button(dialog, doIt).click();
  await dialog.waitFor({ state: 'detached' });
}

async function signInAgain(dialog: Locator, { password }: Person): Promise<void> {
  await dialog.getByLabel('Password').fill(password);
  await button(dialog, 'Sign in').click();
}

async function ownerOf(guild: MadeGuild): Promise<string> {
  const { instance } = await ada.graphql(
    'query ($id: ID!) { instance { server(id: $id) { owner { username } } } }',
    guild,
  );
  return instance.server.owner.username;
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the pages of operators'), () => {
  it('are not found by people without a role', async () => {
    const bob = await signUp(server, 'bob');
    const { page, open, close } = await openPortal(browser, server, bob);
    for (const path of ['', `/people/${ada.id}`, '/operators']) {
      await open(`/instance${path}`);
      await heading(page, 'Not found').waitFor();
    }
    expect(await page.getByRole('link', { name: 'Instance' }).count()).toBe(0);
    await close();
  });

  it('hide the list of operators from moderators', async () => {
    const mod = await signUp(server, 'mod');
    await makeOperator(server, mod, 'MODERATOR');
    const { page, open, close } = await openPortal(browser, server, mod);
    await open('/');
    await page.getByRole('link', { name: 'Instance' }).click();
    await heading(page, 'People').waitFor();
    const side = page.getByRole('navigation', { name: 'Instance' });
    expect(await side.getByRole('link').allTextContents()).toEqual([
      'People',
      'Applications',
      'Servers',
      'Invitations',
      'Audit log',
    ]);
    for (const path of ['operators', 'boxes']) {
      await open(`/instance/${path}`);
      await heading(page, 'Not found').waitFor();
    }
    await open(`/instance/people/${ada.id}`);
    await heading(page, 'ada').waitFor();
    expect(await button(page, 'Export data').count()).toBe(0);
    await close();
  });

  it('find people by name, address and id, newest first, and keep the filter in the address', async () => {
    const [zoe, zed] = [await signUp(server, 'zoe'), await signUp(server, 'zed')];
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const names = () => page.getByRole('listitem').getByRole('link').allTextContents();
    await open('/instance/people');
    await heading(page, 'People').waitFor();
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill('z');
    await expect.poll(names, SOON).toEqual(['zed', 'zoe']);
    await field.fill('zoe@people.example');
    await expect.poll(names, SOON).toEqual(['zoe']);
    await field.fill(zed.id);
    await expect.poll(names, SOON).toEqual(['zed']);
    await page.reload();
    await expect.poll(names, SOON).toEqual(['zed']);
    expect(await field.inputValue()).toBe(zed.id);
    await page.getByLabel('State').selectOption('Suspended');
    await page.getByText('No people match your search.').waitFor();
    await page.getByRole('navigation', { name: 'Instance' }).getByRole('link', { name: 'People' }).click();
    await expect.poll(names, SOON).toContain('zoe');
    expect([await field.inputValue(), zoe.name]).toEqual(['', 'zoe']);
    expect(faults).toEqual([]);
    await close();
  });

  it('show further people page by page', { tags: ['slow'] }, async () => {
    // More than a page of 50.
    for (let n = 0; n < 51; n += 1) await signUp(server, `crowd${String(n).padStart(2, '0')}`);
    const { page, open, close } = await openPortal(browser, server, ada);
    await open('/instance/people?search=crowd');
    await page.getByRole('link', { name: 'crowd50' }).waitFor();
    expect(await page.getByRole('link', { name: 'crowd00' }).count()).toBe(0);
    await button(page, 'Show more').click();
    await page.getByRole('link', { name: 'crowd00' }).waitFor();
    await close();
  });

  // The password of each sign-in is hashed.
  it('suspend a person, whose open page ends, and restore them', { tags: ['slow'] }, async () => {
    const eve = await signUp(server, 'eve');
    await createApplication(eve, 'Eve bot');
    await createGuild(eve, 'Garden');
    const theirs = await openPortal(browser, server, eve);
    await theirs.open('/account');
    await heading(theirs.page, 'Account').waitFor();
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/people/${eve.id}`);
    await page.getByRole('link', { name: 'Eve bot' }).waitFor();
    await page.getByRole('link', { name: 'Garden' }).waitFor();
    await button(page, 'Suspend').click();
    const dialog = page.getByRole('dialog', { name: 'Suspend eve?' });
    await button(dialog, 'Suspend').click();
    await dialog.getByLabel('Reason').and(page.locator('[aria-invalid=true]')).waitFor();
    await dialog.getByLabel('Text for the person').fill('Write to ada.');
    await giveReason(dialog, 'Sold apples', 'Suspend');
    await page.getByRole('region', { name: 'Suspension' }).getByText('They read: Write to ada.').waitFor();
    await expect
      .poll(() => entries(page).allInnerTexts(), SOON)
      .toEqual([expect.stringMatching(/^ada suspended eve, with the text Write to ada\./)]);
    await page.getByText('Reason: Sold apples').waitFor();

    const ended = theirs.page.getByRole('dialog', { name: 'Your session has ended' });
    await signInAgain(ended, eve);
    await ended.getByText('Your account is suspended. Write to ada.').waitFor();

    await button(page, 'Restore').click();
    await giveReason(page.getByRole('dialog', { name: 'Restore eve?' }), 'Sorry', 'Restore');
    await page.getByRole('region', { name: 'Suspension' }).waitFor({ state: 'detached' });
    await signInAgain(ended, eve);
    await ended.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
    await theirs.close();
  });

  it('sign a person out, and create a password link that is shown once', async () => {
    const gus = await signUp(server, 'gus');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/people/${gus.id}`);
    await button(page, 'Sign out everywhere').click();
    await giveReason(
      page.getByRole('dialog', { name: 'Sign gus out everywhere?' }),
      'Lost phone',
      'Sign out everywhere',
    );
    expect((await gus.ask('{ me { id } }')).data).toEqual({ me: null });
    await button(page, 'Password link').click();
    await giveReason(page.getByRole('dialog', { name: 'Create a password link for gus?' }), 'Lost mail', 'Create link');
    const shown = page.getByRole('dialog', { name: 'Password link for gus' });
    const link = (await shown.locator('code').textContent()) ?? '';
    expect((await fetch(link)).status).toBe(200);
    await shown.getByLabel('I have stored it').check();
    await button(shown, 'Done').click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(new URL(link).searchParams.get('token'));
    expect(faults).toEqual([]);
    await close();
  });

  it('act on a person with the keyboard alone', { tags: ['slow'] }, async () => {
    const kim = await signUp(server, 'kim');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/people/${kim.id}`);
    await heading(page, 'kim').waitFor();
    const opener = button(page, 'Suspend').and(page.locator(':focus'));
    for (let key = 0; key < 40 && (await opener.count()) === 0; key += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Suspend kim?' });
    await dialog.getByLabel('Text for the person').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Tab');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('They read: Hello').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('do not act on people with a role', async () => {
    const ivy = await signUp(server, 'ivy');
    await makeOperator(server, ivy, 'MODERATOR');
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/people/${ivy.id}`);
    await page.getByText("ivy is a moderator. Operators and moderators can't act on each other.").waitFor();
    expect(await button(page, 'Suspend').count()).toBe(0);
    await close();
  });

  it('suspend an application, which its developer reads, and restore it', async () => {
    const dan = await signUp(server, 'dan');
    const otter = await createApplication(dan, 'Otter bot');
    const theirs = await openPortal(browser, server, dan);
    await theirs.open(`/applications/${otter.id}/bot`);
    await heading(theirs.page, 'Otter bot').waitFor();
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/instance/applications?search=otter');
    await page.getByRole('link', { name: 'Otter bot' }).click();
    await page.getByRole('link', { name: 'dan' }).waitFor();
    await button(page, 'Suspend').click();
    const dialog = page.getByRole('dialog', { name: 'Suspend Otter bot?' });
    await dialog.getByLabel('Text for the developers').fill('No ads, please.');
    await giveReason(dialog, 'Advertising', 'Suspend');
    await page.getByText('Its developers read: No ads, please.').waitFor();
    const notice = theirs.page.getByRole('region', { name: 'Suspension' });
    await notice.getByText('Suspended by an operator of this instance').waitFor();
    await notice.getByText('No ads, please.').waitFor();
    await button(page, 'Restore').click();
    await giveReason(page.getByRole('dialog', { name: 'Restore Otter bot?' }), 'Fixed', 'Restore');
    await button(page, 'Suspend').waitFor();
    await notice.waitFor({ state: 'detached' });
    expect([...faults, ...theirs.faults]).toEqual([]);
    await close();
    await theirs.close();
  });

  it('transfer a server to a member, and delete it', { tags: ['slow'] }, async () => {
    const [lea, max] = [await signUp(server, 'lea'), await signUp(server, 'max')];
    const guild = await createGuild(lea, 'Harbour');
    await sendMessage(lea, guild.textChannelId, 'Hello');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/servers/${guild.id}`);
    await button(page, 'Transfer ownership').click();
    const transfer = page.getByRole('dialog', { name: 'Transfer Harbour?' });
    await pick(transfer, 'New owner', 'max');
    await transfer.getByLabel('Reason').fill('lea left');
    await button(transfer, 'Transfer ownership').click();
    await transfer.getByText('max is not a member of the server.').waitFor();
    await invite(lea, guild, max);
    await giveReason(transfer, 'lea left', 'Transfer ownership');
    await page.locator('header').getByRole('link', { name: 'max' }).waitFor();
    expect(await ownerOf(guild)).toBe('max');

    await button(page, 'Delete server').click();
    const question = page.getByRole('dialog', { name: 'Delete Harbour?' });
    await question.getByText('1 message in 2 channels').waitFor();
    expect(await button(question, 'Delete server').isDisabled()).toBe(true);
    await question.getByLabel("Type the server's name").fill('Harbour');
    await giveReason(question, 'Empty', 'Delete server');
    await heading(page, 'Servers').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Harbour' }).count(), SOON).toBe(0);
    expect((await max.graphql('{ guilds { id } }')).guilds).toEqual([]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect
      .poll(async () => (await entries(page).allInnerTexts()).slice(0, 2), SOON)
      .toEqual(['ada deleted the server Harbour', `ada transferred the server Harbour to ${max.id}`]);
    expect(faults).toEqual([]);
    await close();
  });

  it('choose operators and moderators, but not for oneself', async () => {
    const ned = await signUp(server, 'ned');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/instance/operators');
    const own = page.getByRole('listitem').filter({ hasText: 'you' });
    await own.getByText('Another operator must change your role').waitFor();
    expect(await own.getByRole('button').evaluateAll((all) => all.map((one) => one.matches(':disabled')))).toEqual([
      true,
      true,
    ]);
    await button(page, 'Add').click();
    const adding = page.getByRole('dialog', { name: 'Add an operator or moderator' });
    await pick(adding, 'Person', 'ned');
    await giveReason(adding, 'Helps', 'Add');
    const row = page.getByRole('listitem').filter({ hasText: 'ned@' });
    await row.getByText('moderator', { exact: true }).waitFor();
    await button(row, 'Change role of ned').click();
    const changing = page.getByRole('dialog', { name: 'Change the role of ned' });
    await changing.getByLabel('Role').selectOption({ value: 'OPERATOR' });
    await giveReason(changing, 'Trusted', 'Change role');
    await row.getByText('operator', { exact: true }).waitFor();
    await button(row, 'Remove role of ned').click();
    await giveReason(page.getByRole('dialog', { name: 'Remove the role of ned?' }), 'Left', 'Remove role');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('listitem').locator(':focus').waitFor();
    expect((await ned.graphql('{ me { operatorRole } }')).me.operatorRole).toBeNull();
    expect(faults).toEqual([]);
    await close();
  });

  it('download the data of a person', async () => {
    const ray = await signUp(server, 'ray');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/instance/people/${ray.id}`);
    await button(page, 'Export data').click();
    const download = page.waitForEvent('download');
    await giveReason(page.getByRole('dialog', { name: 'Export the data of ray?' }), 'They asked', 'Start download');
    const archive = await readZip(await readFile(await (await download).path()));
    expect(String(archive.get('profile.json'))).toContain(ray.email);
    await page.getByText('It contains 0 messages and 0 files.').waitFor();
    await expect
      .poll(async () => (await entries(page).allInnerTexts())[0], SOON)
      .toMatch(/^ada exported the data of ray/);
    expect(faults).toEqual([]);
    await close();
  });

  it('find boxes and disconnect them', async () => {
    const sue = await signUp(server, 'sue');
    const { box } = await makeBox(sue, 'Attic');
    await makeBox(sue, 'Loft');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/instance/boxes');
    const names = () => page.getByRole('listitem').locator('b').allTextContents();
    await expect.poll(names, SOON).toEqual(['Loft', 'Attic']);
    await page.getByRole('searchbox', { name: 'Search' }).fill('att');
    await expect.poll(names, SOON).toEqual(['Attic']);
    await page.getByText('must enrol again').waitFor({ state: 'detached' });
    await button(page, 'Disconnect Attic').click();
    await giveReason(page.getByRole('dialog', { name: 'Disconnect Attic?' }), 'Sends spam', 'Disconnect');
    await page.getByText('must enrol again').waitFor();
    await button(page, 'Disconnect Attic').and(page.locator(':focus')).waitFor();
    const row = await server.app.db.reader.box.findUnique({ where: { id: BigInt(box.id) } });
    expect(row?.tokenHash).toBeNull();
    expect(faults).toEqual([]);
    await close();
  });

  it('list what operators did, also from the command line, and filter it', async () => {
    const pia = await signUp(server, 'pia');
    await ada.graphql(OPERATOR_MUTATIONS.setRole, { input: { personId: pia.id, role: 'MODERATOR', reason: 'Helps' } });
    const { writer } = server.app.db;
    const [latest] = await server.app.db.reader.instanceAuditEntry.findMany({ orderBy: { id: 'desc' }, take: 1 });
    const entry = { actorId: null, targetId: BigInt(pia.id), reason: null, changes: {} };
    const idAfter = (n: bigint) => (latest?.id ?? 0n) + n;
    await writer.instanceAuditEntry.create({ data: { ...entry, id: idAfter(1n), action: 'PERSON_SIGN_OUT' } });
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/instance/audit');
    await expect
      .poll(async () => (await entries(page).allInnerTexts()).slice(0, 2), SOON)
      .toEqual(['Command line signed pia out everywhere', 'ada made pia a moderator']);
    await page.getByLabel('Action').selectOption('Operator role changed');
    await expect.poll(async () => (await entries(page).allInnerTexts())[0], SOON).toBe('ada made pia a moderator');
    const user = page.getByRole('combobox', { name: 'User' });
    await user.fill('pia');
    await page.getByRole('option').filter({ hasText: 'pia' }).click();
    await page.getByText('No entries found. Try another filter.').waitFor();
    await user.fill('ada');
    await page.getByRole('option').filter({ hasText: 'ada' }).first().click();
    await page.getByRole('list', { name: 'Audit log' }).getByRole('link', { name: 'pia' }).click();
    await heading(page, 'pia').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
