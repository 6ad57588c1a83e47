import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { makeEmoji } from '../harness/emojis.js';
import { it } from '../harness/fixtures.js';
import { movingGif, PIXEL } from '../harness/images.js';
import { createApplication, createGuild, invite, type Person, signUp } from '../harness/people.js';
import { openPortal, type PortalTab } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  browser = chromium;
});

const row = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });
const pixel = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(PIXEL) });

const SERVERS = 'query ($id: ID!) { guild(id: $id) { emojis { name animated roles { id } } } }';

async function emojisOf(guildId: string): Promise<unknown> {
  const { guild } = await ada.graphql(SERVERS, { id: guildId });
  return guild.emojis;
}

async function fillNew(
  { page }: PortalTab,
  file: { name: string; mimeType: string; buffer: Buffer<ArrayBuffer> },
  name: string,
) {
  await page.getByRole('button', { name: 'New emoji' }).click();
  const dialog = page.getByRole('dialog', { name: 'New emoji' });
  await dialog.getByLabel('Image').setInputFiles(file);
  await dialog.getByLabel('Name').fill(name);
  return dialog;
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the emojis'), () => {
  it('of a server are created, renamed, limited to a role and deleted, and changes by others show at once', async () => {
    const guild = await createGuild(ada, 'River');
    const { createRole } = await ada.graphql(
      'mutation ($i: CreateRoleInput!) { createRole(input: $i) { role { id } } }',
      { i: { guildId: guild.id, name: 'Swimmers' } },
    );
    const tab = await openPortal(browser, server, ada);
    const { page } = tab;
    await tab.open(`/servers/${guild.id}/emojis`);
    await page.getByText('No emojis yet.').waitFor();
    await page.getByRole('button', { name: 'New emoji' }).click();
    const dialog = page.getByRole('dialog', { name: 'New emoji' });
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('typed');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();
    await dialog.getByLabel('Name').fill('');
    await dialog.getByLabel('Image').setInputFiles(pixel('happy otter!.png'));
    expect(await dialog.getByLabel('Name').inputValue()).toBe('happy_otter_');
    await dialog.getByLabel('Name').fill('o');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('[aria-invalid=true]').and(dialog.getByLabel('Name')).waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('o');
    await dialog.getByLabel('Name').fill('otter');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'otter').getByText('Created by ada').waitFor();
    expect(await page.getByText('No emojis yet.').count()).toBe(0);
    const moving = await fillNew(
      tab,
      { name: 'wave.gif', mimeType: 'image/gif', buffer: Buffer.from(await movingGif()) },
      'wave',
    );
    await moving.getByLabel('Swimmers').check();
    await moving.getByRole('button', { name: 'Create' }).click();
    await row(page, 'wave').getByText('animated').waitFor();
    await row(page, 'wave').getByText('for Swimmers').waitFor();
    await page.getByText('1/50 static, 1/50 animated').waitFor();
    await row(page, 'otter').getByRole('button', { name: 'Edit otter' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit otter' });
    await edit.getByLabel('Name').fill('badger');
    await edit.getByLabel('Swimmers').check();
    expect(await axeFaults(page)).toEqual([]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await row(page, 'badger').getByText('for Swimmers').waitFor();
    const { id: roleId } = createRole.role;
    expect(await emojisOf(guild.id)).toEqual([
      { name: 'badger', animated: false, roles: [{ id: roleId }] },
      { name: 'wave', animated: true, roles: [{ id: roleId }] },
    ]);
    await makeEmoji(server, ada, { guildId: guild.id }, 'theirs');
    await row(page, 'theirs').waitFor();
    await row(page, 'wave').getByRole('button', { name: 'Delete wave' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'wave').waitFor({ state: 'detached' });
    await row(page, 'theirs').locator(':focus').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keep the changes of two users if one changes them while the other edits them, and show conflicts', {
    tags: ['slow'],
  }, async () => {
    const guild = await createGuild(ada, 'Bay');
    const roleOf = async (name: string) => {
      const { createRole } = await ada.graphql(
        'mutation ($i: CreateRoleInput!) { createRole(input: $i) { role { id } } }',
        { i: { guildId: guild.id, name } },
      );
      return createRole.role.id as string;
    };
    const [swimmers, divers, gone] = [await roleOf('Swimmers'), await roleOf('Divers'), await roleOf('Gone')];
    const emojiId = await makeEmoji(server, ada, { guildId: guild.id }, 'otter');
    const update = (change: { name?: string; roleIds?: string[] }) =>
      ada.graphql('mutation ($i: UpdateEmojiInput!) { updateEmoji(input: $i) { emoji { id } } }', {
        i: { guildId: guild.id, emojiId, ...change },
      });
    const tab = await openPortal(browser, server, ada);
    const { page } = tab;
    await tab.open(`/servers/${guild.id}/emojis`);
    await page.getByRole('button', { name: 'Edit otter' }).click();
    const edit = page.getByRole('dialog', { name: /^Edit / });
    await edit.getByLabel('Swimmers').check();
    await edit.getByLabel('Gone').check();
    await ada.graphql('mutation ($i: RoleIdInput!) { deleteRole(input: $i) { id } }', {
      i: { guildId: guild.id, roleId: gone },
    });
    await edit.getByLabel('Gone').waitFor({ state: 'detached' });
    await edit.getByLabel('Name').fill('badger');
    await update({ name: 'weasel', roleIds: [divers] });
    const conflict = edit.getByRole('alert').filter({ hasText: 'Name was changed to “weasel”' });
    await conflict.waitFor();
    expect(await edit.getByLabel('Divers').isChecked()).toBe(true);
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    await row(page, 'badger').waitFor();
    expect(await emojisOf(guild.id)).toEqual([
      { name: 'badger', animated: false, roles: expect.arrayContaining([{ id: swimmers }, { id: divers }]) },
    ]);
    await page.getByRole('button', { name: 'Edit badger' }).click();
    await edit.getByLabel('Divers').uncheck();
    await edit.getByLabel('Divers').check();
    await edit.getByLabel('Name').fill('marten');
    await ada.graphql('mutation ($i: EmojiIdInput!) { deleteEmoji(input: $i) { id } }', {
      i: { guildId: guild.id, emojiId },
    });
    await edit.getByText('Someone else deleted this item.').waitFor();
    expect(await edit.getByLabel('Name').inputValue()).toBe('marten');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Unknown Emoji').waitFor();
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await edit.waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('of a server are changed only by their creator or by a member who manages them', { tags: ['slow'] }, async () => {
    const guild = await createGuild(ada, 'Lake');
    await invite(ada, guild, bob);
    await makeEmoji(server, ada, { guildId: guild.id }, 'hers');
    const tab = await openPortal(browser, server, bob);
    const { page } = tab;
    await tab.open(`/servers/${guild.id}/emojis`);
    await row(page, 'hers').waitFor();
    await page.getByText(/^You need .*Create emoji, stickers and sounds/).waitFor();
    expect(await page.getByRole('button', { name: 'New emoji' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Edit hers' }).isDisabled()).toBe(true);
    const CREATE_EXPRESSIONS = String(1n << 43n);
    await ada.graphql('mutation ($i: UpdateRoleInput!) { updateRole(input: $i) { role { id } } }', {
      i: { guildId: guild.id, roleId: guild.id, permissions: CREATE_EXPRESSIONS },
    });
    await page.getByText('Editing or deleting an emoji needs the permission “Manage emoji').waitFor();
    const dialog = await fillNew(tab, pixel('his.png'), 'his');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await row(page, 'his').waitFor();
    const isOff = (name: string) => page.getByRole('button', { name }).isDisabled();
    expect([await isOff('Edit his'), await isOff('Delete his')]).toEqual([false, false]);
    expect([await isOff('Edit hers'), await isOff('Delete hers')]).toEqual([true, true]);
    await page.getByText('Editing or deleting an emoji needs the permission “Manage emoji').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('of an application are created, renamed and deleted by its developer, and listed in pages', {
    tags: ['slow'],
  }, async () => {
    const application = await createApplication(ada, 'Otter bot');
    const home = { applicationId: application.id };
    const tab = await openPortal(browser, server, ada, { width: 360 });
    const { page } = tab;
    await tab.open(`/applications/${application.id}/emojis`);
    await page.getByText('No emojis yet.').waitFor();
    const dialog = await fillNew(tab, pixel('otter.png'), 'otter');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await row(page, 'otter').waitFor();
    await page.getByRole('button', { name: 'Edit otter' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit otter' });
    await edit.getByLabel('Name').fill('bad-name');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.locator('[aria-invalid=true]').and(edit.getByLabel('Name')).waitFor();
    await edit.getByLabel('Name').fill('badger');
    await edit.getByRole('button', { name: 'Save' }).click();
    await row(page, 'badger').waitFor();
    for (let n = 1; n <= 50; n += 1) await makeEmoji(server, ada, home, `more_${n}`);
    await page.getByRole('button', { name: 'Show more' }).click();
    await row(page, 'more_50').waitFor();
    await page.getByRole('button', { name: 'Delete badger' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'badger').waitFor({ state: 'detached' });
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect([isWide, tab.faults]).toEqual([false, []]);
    await tab.close();
  });

  it('of an application are shown to its whole team, and are read-only for a read-only member', {
    tags: ['slow'],
  }, async () => {
    const application = await createApplication(ada, 'Team bot');
    const team = await createTeam(ada, 'Builders');
    await addToTeam(ada, team, bob, 'READ_ONLY');
    await makeEmoji(server, ada, { applicationId: application.id }, 'hers');
    await transferApplication(ada, application, team);
    const tab = await openPortal(browser, server, bob);
    await tab.open(`/applications/${application.id}/emojis`);
    await row(tab.page, 'hers').waitFor();
    await tab.page.getByText(/^You need the .* role\.$/).waitFor();
    const isOff = (name: string) => tab.page.getByRole('button', { name }).isDisabled();
    expect([await isOff('New emoji'), await isOff('Edit hers'), await isOff('Delete hers')]).toEqual(
      Array(3).fill(true),
    );
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
