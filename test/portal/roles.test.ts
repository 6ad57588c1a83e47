import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
});

const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first().waitFor();

async function makeRole(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'New role' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('region', { name: `Role ${name}` }).waitFor();
}

type Box = Awaited<ReturnType<Locator['boundingBox']>>;

const isAbove = (upper: Box, lower: Box) => upper !== null && lower !== null && upper.y + upper.height <= lower.y;

const permissionsOf = async (roleId: string): Promise<bigint> => {
  const { guild: shown } = await ada.graphql('query ($id: ID!) { guild(id: $id) { roles { id permissions } } }', {
    id: guild.id,
  });
  return BigInt(shown.roles.find(({ id }: { id: string }) => id === roleId).permissions);
};

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the roles of a server'), () => {
  it('are created and ranked, which another browser shows at once', async () => {
    const [hers, his] = await Promise.all([
      openPortal(browser, server, ada, { width: 360 }),
      openPortal(browser, server, bob),
    ]);
    await Promise.all([hers.open(`/servers/${guild.id}/roles`), his.open(`/servers/${guild.id}/roles`)]);
    await his.page.getByText('You need the “Manage roles” permission.').first().waitFor();
    await makeRole(hers.page, 'Crew');
    const editor = hers.page.getByRole('region', { name: 'Role Crew' });
    await editor.getByLabel('Colour').fill('blue');
    await editor.getByLabel('Name', { exact: true }).fill('Pilots');
    await editor.getByLabel('Manage messages').check();
    await hers.page.getByRole('button', { name: 'Save changes' }).click();
    await hers.page.getByText('Colour must be # followed by six hex digits, for example #3f4fd6.').waitFor();
    expect(await hers.page.getByRole('main').getByRole('alert').count()).toBe(0);
    const [field, bar] = [
      hers.page.locator('[aria-invalid=true]'),
      hers.page.getByRole('region', { name: 'Unsaved changes' }),
    ];
    await expect.poll(async () => isAbove(await field.boundingBox(), await bar.boundingBox())).toBe(true);
    await hers.page.getByLabel('Colour').fill('#0000ff');
    await hers.page.getByRole('button', { name: 'Save changes' }).click();
    await said(hers.page, 'Saved');
    await his.page.getByRole('link', { name: 'Pilots', exact: true }).waitFor();
    await makeRole(hers.page, 'Guests');
    await hers.page.getByRole('button', { name: 'Move Guests up' }).click();
    await his.page
      .getByRole('list', { name: 'Roles, highest first' })
      .getByRole('listitem')
      .first()
      .getByText('Guests')
      .waitFor();
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('the page asks before unsaved text is left for another role or a new one', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/roles`);
    await makeRole(page, 'Cooks');
    await page.getByLabel('Name', { exact: true }).fill('Bakers');
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    for (const other of ['@everyone', 'New role']) {
      await page.getByRole('link', { name: other }).click();
      await question.getByRole('button', { name: 'Stay' }).click();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Bakers');
    }
    await page.getByRole('link', { name: '@everyone' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('region', { name: 'Role @everyone' }).waitFor();
    await expect.poll(() => page.title()).toBe(`@everyone – ${guild.name} – Causeway`);
    await page.goBack();
    await page.getByRole('region', { name: 'Role Cooks' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keep the permissions that two users change at once, and the others as they were', {
    tags: ['slow'],
  }, async () => {
    const roles = 'mutation ($i: CreateRoleInput!) { createRole(input: $i) { role { id } } }';
    const { createRole } = await ada.graphql(roles, { i: { guildId: guild.id, name: 'Porters', permissions: '0' } });
    const { id } = createRole.role;
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/roles/${id}`);
    await page.getByLabel('Kick members').check();
    await ada.graphql('mutation ($i: UpdateRoleInput!) { updateRole(input: $i) { role { id } } }', {
      i: { guildId: guild.id, roleId: id, permissions: '4' },
    });
    await page.getByLabel('Ban members').and(page.locator(':checked')).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByText('Not saved: Kick members').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await said(page, 'Saved');
    expect(await permissionsOf(id)).toBe(6n);
    expect(faults).toEqual([]);
    await close();
  });

  it('the page asks before all members become administrators', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { dark: true });
    await open(`/servers/${guild.id}/roles`);
    await page.getByLabel('Administrator').check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    const question = page.getByRole('alertdialog', { name: 'Grant Administrator to everyone?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await permissionsOf(guild.id)) & 8n).toBe(0n);
    await page.getByLabel('View channels').uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await question.getByRole('button', { name: 'Grant Administrator' }).click();
    await said(page, 'Saved');
    expect((await permissionsOf(guild.id)) & 0x408n).toBe(8n);
    await page.getByLabel('Administrator').uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
    expect((await permissionsOf(guild.id)) & 8n).toBe(0n);
    expect(faults).toEqual([]);
    await close();
  });

  it('are changed and moved by a member who ranks above them, and grant only permissions of that member', {
    tags: ['slow'],
  }, async () => {
    const crew = await createGuild(ada, 'Crew');
    await invite(ada, crew, bob);
    const make = async (name: string, permissions: bigint) => {
      const { createRole } = await ada.graphql(
        'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }',
        { input: { guildId: crew.id, name, permissions: String(permissions) } },
      );
      return createRole.role.id as string;
    };
    await make('Captains', 0n);
    const roleId = await make('Moderators', Permission.ManageRoles);
    await make('Cooks', 0n);
    await make('Guests', 0n);
    await ada.graphql('mutation ($input: MemberRoleInput!) { addMemberRole(input: $input) { __typename } }', {
      input: { guildId: crew.id, userId: bob.id, roleId },
    });
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/servers/${crew.id}/roles`);
    await page.getByText('You can move only roles below your highest role.').waitFor();
    const moves = ['Moderators up', 'Moderators down', 'Captains down', 'Cooks up', 'Cooks down', 'Guests down'];
    const isOff = (move: string) => page.getByRole('button', { name: `Move ${move}` }).isDisabled();
    expect(await Promise.all(moves.map(isOff))).toEqual([true, true, true, true, false, true]);
    await page.getByRole('button', { name: 'Move Guests up' }).click();
    await page.getByRole('link', { name: 'Captains' }).click();
    const captains = page.getByRole('region', { name: 'Role Captains' });
    await captains.getByText('You can change only roles below your highest role.').waitFor();
    expect(await captains.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await captains.getByRole('button', { name: 'Delete role' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Cooks' }).click();
    const cooks = page.getByRole('region', { name: 'Role Cooks' });
    await cooks.getByText('You can grant only permissions that you have.').waitFor();
    expect(await cooks.getByLabel('Administrator').isDisabled()).toBe(true);
    expect(await cooks.getByLabel('Manage roles').isDisabled()).toBe(false);
    await cooks.getByRole('button', { name: 'Delete role' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Cooks' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });
});
