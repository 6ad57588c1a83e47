import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { putCommand } from '../harness/command-rows.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { ask as send } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

const SOME_ENTRY = { targetType: 1, targetId: 1n, allow: true };

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

async function register(
  owner: Person,
  application: { id: string },
  command: object,
  guildId?: string,
): Promise<string> {
  const { createCommand } = await owner.graphql(
    'mutation ($input: CreateCommandInput!) { createCommand(input: $input) { command { id } } }',
    { input: { applicationId: application.id, command, guildId } },
  );
  return createCommand.command.id;
}

async function commandsOf(owner: Person, application: { id: string }): Promise<Loose[]> {
  const { application: found } = await owner.graphql(
    'query ($id: ID!) { application(id: $id) { commands { id name description options } } }',
    { id: application.id },
  );
  return found.commands;
}

const DIVE = { type: 1, name: 'dive', description: 'Goes under' };

const rows = (page: Page) => page.getByRole('list', { name: 'Commands' }).getByRole('listitem');

const pathOf = ({ id }: { id: string }, rest = '') => `/applications/${id}/commands${rest}`;

const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

const json = async (page: Page) => JSON.parse(await page.getByLabel('JSON').inputValue());

const saved = (page: Page) => page.getByRole('region', { name: 'Notifications' }).getByText('Saved').waitFor();

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the commands'), () => {
  it('the page shows how to register one if there is none, and shows a registered one at once', {
    tags: ['slow'],
  }, async () => {
    const ada = await signUp(server, 'ada');
    const application = await createApplication(ada);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(application));
    await page.getByText(`${server.origin}/api/v10/applications/${application.id}/commands`).waitFor();
    const { status } = await send(server, 'POST', `/applications/${application.id}/commands`, {
      json: DIVE,
      headers: { authorization: `Bot ${application.botToken}` },
    });
    expect(status).toBe(201);
    await rows(page).getByRole('link', { name: '/dive' }).waitFor();
    await rows(page).getByText('Goes under').waitFor();
    await rows(page).getByText('Slash command · Global').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the page explains what a reserved name means', { tags: ['slow'] }, async () => {
    const bob = await signUp(server, 'bob');
    const application = await createApplication(bob);
    await putCommand(server.app, BigInt(application.id), { name: 'ban' });
    const { page, faults, open, close } = await openPortal(browser, server, bob, { width: 360, dark: true });
    await open(pathOf(application));
    await rows(page).getByText('reserved', { exact: true }).waitFor();
    await rows(page).getByText('A built-in command now has this name.').waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('are created in a form that is in step with the JSON, and show errors at their fields', async () => {
    const cal = await signUp(server, 'cal');
    const application = await createApplication(cal);
    const { page, faults, open, close } = await openPortal(browser, server, cal);
    await open(pathOf(application));
    await page.getByRole('link', { name: 'New command' }).click();
    await page.getByLabel('Name', { exact: true }).fill('dive');
    await page.getByLabel('Description', { exact: true }).fill('Goes under');
    await page.getByRole('button', { name: 'Add option' }).click();
    await page.getByLabel('Option name', { exact: true }).fill('How Deep');
    await page.getByLabel('Option description', { exact: true }).fill('In metres');
    await page.getByLabel('Required').check();
    expect(await json(page)).toEqual({
      ...DIVE,
      options: [{ type: 3, name: 'How Deep', description: 'In metres', required: true }],
    });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const refused = page.getByRole('alert', { name: 'Errors' });
    await refused.getByText('options.0.name').waitFor();
    const name = page.getByLabel('Option name', { exact: true });
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
    await name.fill('depth');
    await page.getByLabel('Option type').selectOption('Integer');
    await page.getByLabel('Minimum value').fill('1');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Delete command' }).waitFor();
    expect(await commandsOf(cal, application)).toMatchObject([
      { name: 'dive', options: [{ type: 4, name: 'depth', min_value: 1, required: true }] },
    ]);
    await page.getByRole('link', { name: 'All commands' }).click();
    await rows(page).getByRole('link', { name: '/dive' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the form keeps invalid JSON as it was typed, and is filled from valid JSON', { tags: ['slow'] }, async () => {
    const dan = await signUp(server, 'dan');
    const application = await createApplication(dan);
    const id = await register(dan, application, DIVE);
    const { page, faults, open, close } = await openPortal(browser, server, dan);
    await open(pathOf(application, `/${id}`));
    const view = page.getByLabel('JSON');
    await view.fill('{"name":"dive","description":');
    await page.getByText('Invalid JSON').waitFor();
    expect(await page.getByLabel('Description', { exact: true }).isDisabled()).toBe(true);
    expect(await view.inputValue()).toBe('{"name":"dive","description":');
    await view.fill(JSON.stringify({ ...DIVE, colour: 'blue' }));
    await page.getByText('Unknown field “colour”.').waitFor();
    const group = {
      type: 2,
      name: 'pond',
      description: 'Ponds',
      options: [{ type: 1, name: 'list', description: 'All' }],
    };
    const text = JSON.stringify({ ...DIVE, description: 'Goes deep', options: [group] });
    await view.fill(text);
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('Goes deep');
    expect(await view.inputValue()).toBe(text);
    await page.getByText('/dive pond list').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await saved(page);
    expect(await commandsOf(dan, application)).toMatchObject([{ description: 'Goes deep', options: [group] }]);
    expect(faults).toEqual([]);
    await close();
  });

  it('the form keeps what is being typed when another user changes the command, and shows the other changes', {
    tags: ['slow'],
  }, async () => {
    const eve = await signUp(server, 'eve');
    const application = await createApplication(eve);
    const id = await register(eve, application, DIVE);
    const { page, faults, open, close } = await openPortal(browser, server, eve);
    await open(pathOf(application, `/${id}`));
    await page.getByLabel('Description', { exact: true }).fill('What I type');
    await eve.graphql('mutation ($input: UpdateCommandInput!) { updateCommand(input: $input) { command { id } } }', {
      input: { applicationId: application.id, commandId: id, command: { nsfw: true, description: 'Theirs' } },
    });
    await page.getByText('Description was changed to “Theirs” while you were editing it.').waitFor();
    expect(await page.getByLabel('Age-restricted').isChecked()).toBe(true);
    expect((await json(page)).description).toBe('What I type');
    expect(faults).toEqual([]);
    await close();
  });

  it('the page shows which permissions are removed before a command is renamed or deleted', {
    tags: ['slow'],
  }, async () => {
    const fay = await signUp(server, 'fay');
    const application = await createApplication(fay);
    const guild = await createGuild(fay, 'Lagoon');
    await install(fay, application, guild);
    const id = await register(fay, application, DIVE);
    const grant = (entry = { id: guild.id, type: 'ROLE', allow: true }) =>
      fay.graphql(
        'mutation ($input: SetCommandPermissionsInput!) { setCommandPermissions(input: $input) { permissions } }',
        {
          input: {
            applicationId: application.id,
            commandId: id,
            guildId: guild.id,
            permissions: [entry],
          },
        },
      );
    await grant();
    const { page, faults, open, close } = await openPortal(browser, server, fay);
    await open(pathOf(application, `/${id}`));
    await page.getByLabel('Name', { exact: true }).fill('swim');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const question = page.getByRole('alertdialog', { name: 'Rename dive to swim?' });
    await question.getByText('1 command permission will be removed, in Lagoon.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('swim');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    const who = page.getByRole('list', { name: 'Access by server' });
    await page.getByText('Access by server').click();
    await who.getByText('allowed for everyone (set for this command)').waitFor();
    const { createRole } = await fay.graphql(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }',
      { input: { guildId: guild.id, name: 'Divers' } },
    );
    await grant({ id: createRole.role.id, type: 'ROLE', allow: true });
    await page.reload();
    await page.getByText('Access by server').click();
    await who.getByText('allowed for 1 role (set for this command)').waitFor();
    const elsewhere = await createGuild(await signUp(server, 'fays-stranger'));
    const ofAnother = { guildId: BigInt(elsewhere.id), ...SOME_ENTRY };
    await server.app.db.writer.commandPermission.create({
      data: { applicationId: BigInt(application.id), commandId: BigInt(id), ...ofAnother },
    });
    await page.getByRole('button', { name: 'Delete command' }).click();
    const deleting = page.getByRole('alertdialog', { name: 'Delete the command dive?' });
    await deleting
      .getByText("2 command permissions will be removed, in Lagoon and 1 server that you can't see.")
      .waitFor();
    await deleting.getByRole('button', { name: 'Delete command' }).click();
    await page.getByText('No commands yet.').waitFor();
    expect(await commandsOf(fay, application)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('the page shows the plan of an overwrite before anything is changed, and then applies it', {
    tags: ['slow'],
  }, async () => {
    const gil = await signUp(server, 'gil');
    const application = await createApplication(gil);
    await register(gil, application, DIVE);
    const hunt = await register(gil, application, { ...DIVE, name: 'hunt' });
    const guildId = BigInt((await createGuild(gil, 'Reef')).id);
    await server.app.db.writer.commandPermission.create({
      data: { applicationId: BigInt(application.id), commandId: BigInt(hunt), guildId, ...SOME_ENTRY },
    });
    const { page, faults, open, close } = await openPortal(browser, server, gil);
    await open(pathOf(application, '/overwrite'));
    const view = page.getByLabel('Commands as JSON');
    await view.fill('[{]');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('Invalid JSON').waitFor();
    expect(await view.inputValue()).toBe('[{]');
    await view.fill(JSON.stringify([{ ...DIVE, name: 'Dive!' }]));
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('0.name: ').waitFor();
    await view.fill(
      JSON.stringify([
        { ...DIVE, description: 'Deep' },
        { ...DIVE, name: 'swim' },
      ]),
    );
    await page.getByRole('button', { name: 'Preview changes' }).click();
    const plan = page.getByRole('region', { name: 'Planned changes' });
    await plan.getByText('1 created, 1 changed, 1 deleted, 0 unchanged.').waitFor();
    await plan
      .getByRole('listitem')
      .filter({ hasText: '/dive' })
      .getByText('Description: “Goes under” → “Deep”')
      .waitFor();
    expect((await commandsOf(gil, application)).map(({ name }) => name)).toEqual(['dive', 'hunt']);
    await plan.getByRole('listitem').filter({ hasText: '/hunt' }).getByText('in Reef').waitFor();
    await plan.getByRole('button', { name: 'Apply changes' }).click();
    await rows(page).getByRole('link', { name: '/swim' }).waitFor();
    expect((await commandsOf(gil, application)).map(({ name }) => name).sort()).toEqual(['dive', 'swim']);
    expect(faults).toEqual([]);
    await close();
  });

  it('the page applies only the plan that was shown, and asks before it replaces typed text', {
    tags: ['slow'],
  }, async () => {
    const ivy = await signUp(server, 'ivy');
    const application = await createApplication(ivy);
    await register(ivy, application, DIVE);
    const { page, faults, open, close } = await openPortal(browser, server, ivy);
    await open(pathOf(application, '/overwrite'));
    const view = page.getByLabel('Commands as JSON');
    const typed = JSON.stringify([{ ...DIVE, name: 'swim' }]);
    await view.fill(typed);
    await page.getByRole('button', { name: 'Load current commands' }).click();
    const question = page.getByRole('alertdialog', { name: 'Replace your JSON?' });
    await question.getByRole('button', { name: 'Keep my JSON' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await view.inputValue()).toBe(typed);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    const plan = page.getByRole('region', { name: 'Planned changes' });
    await plan.getByText('1 created, 0 changed, 1 deleted').waitFor();
    await register(ivy, application, { ...DIVE, name: 'hunt' });
    await plan.getByRole('button', { name: 'Apply changes' }).click();
    await page.getByRole('alert').getByText('changed after this plan was created').waitFor();
    await plan.waitFor({ state: 'detached' });
    expect((await commandsOf(ivy, application)).map(({ name }) => name)).toEqual(['dive', 'hunt']);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await plan.getByText('1 created, 0 changed, 2 deleted').waitFor();
    await page.getByRole('button', { name: 'Load current commands' }).click();
    await question.getByRole('button', { name: 'Replace JSON' }).click();
    expect(JSON.parse(await view.inputValue())).toMatchObject([{ name: 'dive' }, { name: 'hunt' }]);
    expect(faults).toEqual([]);
    await close();
  });

  it('the focus goes to JSON that cannot be saved, and stays on an option that is moved, removed or changed', {
    tags: ['slow'],
  }, async () => {
    const kim = await signUp(server, 'kim');
    const application = await createApplication(kim);
    const names = ['one', 'two', 'three'];
    const options = names.map((name) => ({ type: 3, name, description: `Of ${name}` }));
    const id = await register(kim, application, { ...DIVE, options });
    const { page, faults, open, close } = await openPortal(browser, server, kim);
    await open(pathOf(application, `/${id}`));
    const view = page.getByRole('textbox', { name: 'JSON' });
    await view.fill('[');
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect(await isFocused(view)).toBe(true);
    expect(await view.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Reset JSON' }).click();
    const option = (name: string) => page.locator('.option-list details').filter({ hasText: name });
    await option('three').locator('summary').first().click();
    const field = option('three').getByLabel('Option name', { exact: true });
    await page.getByRole('button', { name: 'Move three up' }).click();
    expect(await isFocused(page.getByRole('button', { name: 'Move three up' }))).toBe(true);
    expect(await field.isVisible()).toBe(true);
    await option('one').locator('summary').first().click();
    await page.getByRole('button', { name: 'Remove one' }).click();
    expect(await field.isVisible()).toBe(true);
    expect(await option('two').getByLabel('Option name', { exact: true }).isVisible()).toBe(false);
    await page.getByText('Default permissions and translations').click();
    await page.getByRole('button', { name: 'Add translation' }).first().click();
    const language = page.getByLabel('Name: language');
    await language.focus();
    await language.selectOption('de');
    await page.getByRole('textbox', { name: 'Name in German' }).waitFor();
    expect(await isFocused(language)).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('of one server are shown, with the reason if another server has none', { tags: ['slow'] }, async () => {
    const hal = await signUp(server, 'hal');
    const application = await createApplication(hal);
    const guild = await createGuild(hal, 'River');
    const other = await createGuild(hal, 'Desert');
    await install(hal, application, guild);
    await register(hal, application, DIVE, guild.id);
    const { page, faults, open, close } = await openPortal(browser, server, hal);
    await open(pathOf(application));
    await page.getByText('No commands yet.').waitFor();
    await page.getByLabel('Scope').selectOption('Only in River');
    await rows(page).getByText('Only in River').waitFor();
    await rows(page).getByRole('link', { name: '/dive' }).click();
    await page.getByRole('button', { name: 'Delete command' }).waitFor();
    await page.goBack();
    await page.getByLabel('Scope').selectOption(other.id);
    await page.getByText('The application is not installed in this server').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are read-only for a read-only member, and fit a small screen', async () => {
    const ida = await signUp(server, 'ida');
    const jon = await signUp(server, 'jon');
    const application = await createApplication(ida);
    const options = [{ type: 3, name: 'where', description: 'x'.repeat(90), choices: [{ name: 'River', value: 'r' }] }];
    const id = await register(ida, application, { ...DIVE, options });
    const team = await createTeam(ida);
    await addToTeam(ida, team, jon, 'READ_ONLY');
    await transferApplication(ida, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, jon, { width: 360 });
    await open(pathOf(application));
    await page.getByText('You need the developer role.').waitFor();
    expect(await page.getByRole('button', { name: 'New command' }).isDisabled()).toBe(true);
    await open(pathOf(application, `/${id}`));
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete command' }).isDisabled()).toBe(true);
    await page.getByText('where').first().click();
    expect(await scrollsSideways(page)).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });
});
