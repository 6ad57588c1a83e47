import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import { startBox } from '../harness/box.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { type HandedTab, type OpenHanded, openByKeyboard, openOnPhone } from '../harness/hands.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (place: Page | Locator, name: string | RegExp) => place.getByRole('button', { name, exact: true });
const link = (place: Page | Locator, name: string | RegExp) => place.getByRole('link', { name, exact: true });
const field = (place: Page | Locator, name: string) => place.getByLabel(name, { exact: true });

async function startBot(token: string): Promise<Client> {
  const bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
  bot.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply(`Ahoy, ${interaction.options.getString('whom')}`);
  });
  const ready = new Promise((resolve) => bot.once(Events.ClientReady, resolve));
  await bot.login(token);
  await ready;
  const whom = { type: 3, name: 'whom', description: 'Whom to greet', required: true };
  await bot.application?.commands.set([{ name: 'greet', description: 'Says ahoy', options: [whom] }]);
  return bot;
}

async function storeSecret({ page, hand }: HandedTab, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title });
  const secret = (await dialog.locator('.secret code').first().textContent()) ?? '';
  await hand.check(dialog.getByRole('checkbox'));
  await hand.press(button(dialog, 'Done'));
  return secret;
}

const WAYS: [way: string, open: OpenHanded][] = [
  ['by the keyboard alone', openByKeyboard],
  ['on a telephone', openOnPhone],
];

describe.skipIf(noBrowser !== null).each(WAYS)(`${needing(noBrowser, 'a journey')}, %s`, (way, openTab) => {
  const nameOf = (name: string) => `${name}_${way.length}`;
  const person = (name: string) => signUp(server, nameOf(name));
  const tabs: HandedTab[] = [];
  const bots: Client[] = [];

  async function open(visitor: Person | null, path: string): Promise<HandedTab> {
    const tab = await openTab(browser, server, visitor);
    tabs.push(tab);
    await tab.open(path);
    return tab;
  }

  afterEach(async () => {
    for (const bot of bots.splice(0)) await bot.destroy();
    const ended = tabs.splice(0);
    await Promise.all(ended.map((tab) => tab.close()));
    expect(ended.flatMap(({ faults }) => faults).filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('of a developer leads from sign-up to a bot that responds, and to its timeline', async () => {
    const tab = await open(null, '');
    const { page, hand } = tab;
    await hand.press(link(page, 'Sign up'));
    await hand.type(field(page, 'Username'), nameOf('dev'));
    await hand.type(field(page, 'E-mail address'), `${nameOf('dev')}@people.example`);
    await hand.type(field(page, 'Password'), 'a password that is long');
    await hand.press(button(page, 'Sign up'));

    await hand.press(link(page, 'Create an application'));
    await hand.press(button(page, 'New application'));
    await hand.type(field(page.getByRole('dialog'), 'Name'), 'Otter bot');
    await hand.press(button(page, 'Create application'));
    const token = await storeSecret(tab, 'Secrets for Otter bot');
    await heading(page, 'Otter bot').waitFor();
    bots.push(await startBot(token));

    await hand.press(link(page, 'Causeway'));
    await hand.press(link(page, 'Create a server'));
    await hand.press(button(page, 'New server'));
    await hand.type(field(page.getByRole('dialog'), 'Name'), 'Harbour');
    await hand.press(button(page, 'Create server'));
    await heading(page, 'Harbour').waitFor();

    await hand.press(link(page, 'Causeway'));
    await hand.press(link(page, 'Install Otter bot on your server'));
    await heading(page, 'Authorize Otter bot?').waitFor();
    await hand.choose(field(page, 'Server'), 'Harbour');
    await hand.press(button(page, 'Authorize'));
    await page.getByRole('heading', { level: 1, name: 'Done' }).waitFor();
    await tab.open('/servers');

    await hand.press(link(page, 'Harbour'));
    await hand.press(link(page, 'Channels'));
    await hand.press(page.getByRole('link', { name: /general/ }));
    const composer = page.getByLabel(/^Message #/);
    await hand.type(composer, '/');
    await hand.type(page.getByRole('combobox', { name: 'Command' }), '/gre');
    await page.getByRole('option', { name: '/greet' }).waitFor();
    await hand.enter(page.getByRole('combobox', { name: 'Command' }));
    await hand.type(page.getByLabel('whom', { exact: true }), 'all');
    await hand.press(button(page, 'Run command'));
    await page.getByRole('log').getByText('Ahoy, all', { exact: true }).waitFor();
    // The timeline opens automatically if there is room for it next to the channel.
    const timeline = page.getByRole('complementary', { name: 'Timeline of greet' });
    if (way.includes('telephone')) await hand.press(button(page, /Timeline/));
    await timeline.getByRole('listitem').nth(1).waitFor();
    await hand.press(link(timeline, 'Open interaction'));
    await page.getByText('answered', { exact: true }).first().waitFor();
  });

  it('of a team lets an invited user join, get more rights and create an application', async () => {
    const [ada, bob] = [await person('ada'), await person('bob')];
    const hers = await open(ada, '/teams');
    await hers.hand.press(button(hers.page, 'New team'));
    await hers.hand.type(field(hers.page.getByRole('dialog'), 'Name'), 'Builders');
    await hers.hand.press(button(hers.page, 'Create team'));
    await hers.hand.type(field(hers.page, 'E-mail address'), bob.email);
    await hers.hand.choose(field(hers.page, 'Role'), 'read-only');
    await hers.hand.press(button(hers.page, 'Invite member'));
    await hers.page.getByRole('list', { name: 'Pending invitations' }).getByText(nameOf('bob')).waitFor();

    const his = await open(bob, '');
    await his.hand.press(button(his.page.getByRole('region', { name: 'Invitations' }), /^Accept/));
    await his.hand.press(link(his.page, 'Builders'));
    await his.hand.press(link(his.page.getByRole('navigation', { name: 'Team' }), 'Applications'));
    await his.page.getByRole('heading', { level: 2, name: 'Applications' }).waitFor();

    await hers.hand.choose(field(hers.page, `Role of ${nameOf('bob')}`), 'admin');
    await hers.hand.press(button(hers.page, `Change ${nameOf('bob')} to admin`));
    await his.hand.press(button(his.page, 'New application'));
    await his.hand.type(field(his.page.getByRole('dialog'), 'Name'), 'Team bot');
    await his.hand.press(button(his.page, 'Create application'));
    await storeSecret(his, 'Secrets for Team bot');
    await heading(his.page, 'Team bot').waitFor();

    const tabsOfTeam = hers.page.getByRole('navigation', { name: 'Team' });
    await hers.hand.press(link(tabsOfTeam, 'Applications'));
    await hers.hand.press(link(hers.page, 'Team bot'));
    await heading(hers.page, 'Team bot').waitFor();
  });

  it('of a tester leads from an invitation to the installation of a private application', async () => {
    const [ada, tess] = [await person('tina'), await person('tess')];
    await createGuild(tess, 'Lab');
    const { id } = await createApplication(ada, 'Secret bot');
    const hers = await open(ada, `/applications/${id}/testers`);
    await hers.hand.type(field(hers.page, 'E-mail address or user ID'), tess.email);
    await hers.hand.press(button(hers.page, 'Invite tester'));
    await hers.page.getByRole('list', { name: 'Testers' }).getByText(nameOf('tess')).waitFor();

    const theirs = await open(tess, '');
    await theirs.hand.press(button(theirs.page.getByRole('region', { name: 'Invitations' }), /^Accept/));
    await theirs.hand.press(link(theirs.page, 'Install Secret bot'));
    await theirs.hand.choose(field(theirs.page, 'Server'), 'Lab');
    await theirs.hand.press(button(theirs.page, 'Authorize'));
    await theirs.page.getByRole('heading', { level: 1, name: 'Done' }).waitFor();
    await theirs.open('/servers');
    await theirs.hand.press(link(theirs.page, 'Lab'));
    await theirs.hand.press(link(theirs.page, 'Integrations'));
    await link(theirs.page, 'Secret bot').waitFor();
  });

  it('of an operator covers an invite, a role, a command permission and a message', async () => {
    const [ada, bob] = [await person('olga'), await person('olaf')];
    const application = await createApplication(ada, 'Otter bot');
    bots.push(await startBot(application.botToken));
    const { page, hand } = await open(ada, '/servers');
    await hand.press(button(page, 'New server'));
    await hand.type(field(page.getByRole('dialog'), 'Name'), 'Quay');
    await hand.press(button(page, 'Create server'));
    await heading(page, 'Quay').waitFor();
    const guildId = /servers\/(\d+)/.exec(page.url())?.[1] ?? '';
    await install(ada, application, { id: guildId });
    await hand.press(button(page, 'New invite'));
    await hand.press(button(page.getByRole('dialog'), 'Create invite'));
    const invite = page.getByRole('main').locator('code').filter({ hasText: '/invite/' });
    const code = /invite\/(\w+)/.exec((await invite.textContent()) ?? '')?.[1];

    const his = await open(bob, `/invite/${code}`);
    await his.hand.press(button(his.page, 'Join'));
    await heading(his.page, 'Quay').waitFor();

    await hand.press(link(page, 'Roles'));
    await hand.press(link(page, 'New role'));
    await hand.type(page.getByRole('textbox', { name: 'Name' }), 'Pilots');
    await hand.press(button(page, 'Create role'));
    await page.getByRole('region', { name: 'Role Pilots' }).waitFor();

    await hand.press(link(page, 'Members'));
    await hand.press(button(page, `Manage ${nameOf('olaf')}`));
    await hand.check(page.getByRole('dialog').getByLabel('Pilots'));
    await hand.press(button(page.getByRole('dialog'), 'Save roles'));
    await page.locator('.chips').getByText('Pilots').waitFor({ state: 'attached' });
    await hand.press(button(page.getByRole('dialog'), 'Close'));

    await hand.press(link(page, 'Integrations'));
    await hand.press(link(page, 'Otter bot'));
    await hand.press(link(page, '/greet'));
    const everybody = page.getByRole('group', { name: '@everyone' });
    await hand.press(button(everybody, 'Allow'));

    await his.hand.press(link(his.page, 'Channels'));
    await his.hand.press(his.page.getByRole('link', { name: /general/ }));
    const composer = his.page.getByLabel(/^Message #/);
    await his.hand.type(composer, 'Ahoy from the quay');
    await his.hand.enter(composer);
    await his.page.getByRole('log').getByText('Ahoy from the quay', { exact: true }).waitFor();
  });

  it('of a box owner covers creation, the connection, what works there, and deletion', async () => {
    const tab = await open(await person('boris'), '/boxes');
    const { page, hand } = tab;
    await hand.press(button(page, 'New box'));
    await hand.type(field(page.getByRole('dialog'), 'Name'), 'Cellar');
    await hand.press(button(page, 'Create box'));
    const token = await storeSecret(tab, 'Enrolment token for Cellar');
    await heading(page, 'Cellar').waitFor();
    const box = await startBox({ token, cloudUrl: server.origin });
    await page.getByText('online', { exact: true }).waitFor();
    await createGuild(await signUp(box, 'keeper'), 'Attic');
    await hand.press(page.getByText('Bot API support on Attic'));
    await hand.type(field(page, 'Search'), 'patch /channels/:channelid');
    await page.getByRole('row').filter({ hasText: 'PATCH /channels/:channelId' }).first().getByText('works').waitFor();
    await box.stop();
    await hand.press(button(page, 'Delete box'));
    const question = page.getByRole('alertdialog', { name: 'Delete Cellar?' });
    await hand.type(field(question, "Type the box's name"), 'Cellar');
    await hand.press(button(question, 'Delete box'));
    await heading(page, 'Boxes').waitFor();
  });
});
