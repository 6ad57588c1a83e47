import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import { createPerson } from '../harness/rows.js';
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
});
beforeEach(async () => {
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
});

const said = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first().waitFor();
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function makeRole(name: string, permissions = 0n): Promise<string> {
  const create = 'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }';
  const input = { guildId: guild.id, name, permissions: String(permissions) };
  return (await ada.graphql(create, { input })).createRole.role.id;
}

async function changeRole(roleId: string, permissions: bigint): Promise<void> {
  await ada.graphql('mutation ($input: UpdateRoleInput!) { updateRole(input: $input) { __typename } }', {
    input: { guildId: guild.id, roleId, permissions: String(permissions) },
  });
}

async function giveRole(roleId: string): Promise<void> {
  await ada.graphql('mutation ($input: MemberRoleInput!) { addMemberRole(input: $input) { __typename } }', {
    input: { guildId: guild.id, userId: bob.id, roleId },
  });
}

async function rolesOfBob(): Promise<string[]> {
  const query = `query ($id: ID!) {
    guild(id: $id) { members(first: 1, search: "bob") { edges { node { roles { name } } } } }
  }`;
  const { edges } = (await ada.graphql(query, { id: guild.id })).guild.members;
  return edges[0].node.roles.map(({ name }: Loose) => name);
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the members of a server'), () => {
  it('are managed in parts: saving one part keeps what was typed in the others', {
    tags: ['slow'],
  }, async () => {
    await makeRole('Pilots');
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/servers/${guild.id}/members`);
    await page.getByRole('button', { name: 'Manage bob' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'ada' }).getByText('you', { exact: true }).waitFor();
    expect(await page.getByText('owner', { exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Manage bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'bob' });
    await dialog.getByLabel('Pilots').check();
    await dialog.getByLabel('Nickname').fill('Bobby');
    await dialog.getByRole('button', { name: 'Save nickname' }).click();
    await said(page, 'Saved');
    expect(await dialog.getByLabel('Pilots').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Save roles' }).click();
    await page.locator('.chips').getByText('Pilots').waitFor({ state: 'attached' });
    expect(await dialog.getByLabel('Nickname').inputValue()).toBe('Bobby');
    expect(await rolesOfBob()).toEqual(['Pilots']);
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('get the roles that two users give them at the same time', { tags: ['slow'] }, async () => {
    const [, cooks] = [await makeRole('Pilots'), await makeRole('Cooks')];
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/members`);
    await page.getByRole('button', { name: 'Manage bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'bob' });
    await dialog.getByLabel('Pilots').check();
    await giveRole(cooks);
    await dialog.getByRole('button', { name: 'Save roles' }).click();
    await page.locator('.chips').getByText('Pilots').waitFor({ state: 'attached' });
    expect((await rolesOfBob()).toSorted()).toEqual(['Cooks', 'Pilots']);
    expect(faults).toEqual([]);
    await close();
  });

  it('are found once each, even after another field found them', { tags: ['slow'] }, async () => {
    const application = await createApplication(ada, 'Otter bot');
    await install(ada, application, guild);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/integrations/${application.id}`);
    await page.getByRole('combobox', { name: 'Add a member' }).fill('bo');
    await page.getByRole('option', { name: 'bob' }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByLabel('Search').fill('bo');
    await page.getByRole('button', { name: 'Manage ada' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Manage bob' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Manage bob' }).count()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  it('are listed in pages, each with its current data', { tags: ['slow'] }, async () => {
    const { writer } = server.app.db;
    for (let n = 0; n < 52; n += 1) {
      const { id: userId } = await createPerson(server.app);
      await writer.member.create({
        data: { guildId: BigInt(guild.id), userId, joinedAt: new Date(), usernameKey: `person${n}` },
      });
    }
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/members`);
    const rows = page.getByRole('button', { name: /^Manage / });
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(53).waitFor();
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByLabel('Nickname').fill('Bobby');
    await page.getByRole('button', { name: 'Save nickname' }).click();
    await said(page, 'Saved');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('li').getByText('Bobby').waitFor();
    expect(await rows.count()).toBe(54);
    await bob.graphql('mutation ($i: GuildIdInput!) { leaveGuild(input: $i) { id } }', { i: { guildId: guild.id } });
    await page.getByRole('button', { name: 'Manage bob' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('the nickname that was typed stays if the member is removed while it is edited', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/members`);
    await page.getByRole('button', { name: 'bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'bob' });
    await dialog.getByLabel('Nickname').fill('Otter');
    await ada.graphql('mutation ($input: MemberIdInput!) { kickMember(input: $input) { id } }', {
      input: { guildId: guild.id, userId: bob.id },
    });
    // The open dialog hides the list from role queries, so this query uses the tag.
    await page.locator('li', { hasText: 'bob' }).waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('Nickname').inputValue()).toBe('Otter');
    await dialog.getByRole('button', { name: 'Save nickname' }).click();
    await dialog.getByText('Unknown Member').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are kicked, banned and unbanned, which another browser shows at once', async () => {
    const [hers, his] = await Promise.all([openPortal(browser, server, ada), openPortal(browser, server, bob)]);
    await Promise.all([hers.open(`/servers/${guild.id}/members`), his.open(`/servers/${guild.id}/members`)]);
    await his.page.getByRole('button', { name: 'Manage ada' }).waitFor();
    expect(await his.page.getByRole('link', { name: 'Bans' }).count()).toBe(0);
    const bans = await openPortal(browser, server, ada, { width: 360, dark: true });
    await bans.open(`/servers/${guild.id}/bans`);
    await bans.page.getByText('No bans.').waitFor();
    await hers.page.getByRole('button', { name: 'Manage bob' }).click();
    await hers.page.getByRole('button', { name: 'Ban bob' }).click();
    await hers.page.getByRole('alertdialog').getByRole('button', { name: 'Ban' }).click();
    await said(hers.page, 'bob was banned.');
    await his.page.getByRole('heading', { level: 1, name: 'Gone' }).waitFor();
    await bans.page.getByRole('button', { name: 'Unban bob' }).click();
    await bans.page.getByRole('alertdialog').getByRole('button', { name: 'Unban' }).click();
    await bans.page.getByText('No bans.').waitFor();
    await invite(ada, guild, bob);
    await hers.page.getByRole('button', { name: 'Manage bob' }).waitFor();
    expect([hers.faults, his.faults, bans.faults]).toEqual([[], [], []]);
    await Promise.all([hers.close(), his.close(), bans.close()]);
  });

  it('offer a moderator the permitted actions on each one, with the reasons for the others', {
    tags: ['slow'],
  }, async () => {
    const { KickMembers, BanMembers, ModerateMembers, ManageRoles, ManageNicknames } = Permission;
    const moderates = KickMembers | BanMembers | ModerateMembers | ManageRoles | ManageNicknames;
    await makeRole('Captains', Permission.Administrator);
    const moderators = await makeRole('Moderators', moderates);
    await giveRole(moderators);
    await makeRole('Guests');
    const cem = await signUp(server, 'cem');
    await invite(ada, guild, cem);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/servers/${guild.id}/members`);
    await page.getByRole('button', { name: 'Manage ada' }).click();
    const owner = page.getByRole('dialog', { name: 'ada' });
    await owner.getByText("No one ranks above the server's owner.").first().waitFor();
    for (const off of ['Kick ada', 'Ban ada', 'Save nickname', 'Set timeout']) {
      expect([off, await owner.getByRole('button', { name: off }).isDisabled()]).toEqual([off, true]);
    }
    expect(await owner.getByLabel('Captains').isDisabled()).toBe(true);
    expect(await owner.getByLabel('Moderators').isDisabled()).toBe(true);
    expect(await owner.getByLabel('Guests').isDisabled()).toBe(false);
    expect(await owner.getByText('administrator', { exact: true }).count()).toBe(1);
    await owner
      .getByText("Greyed-out roles are managed by an application or aren't below your highest role.")
      .waitFor();
    await owner.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Manage cem' }).click();
    const other = page.getByRole('dialog', { name: 'cem' });
    const [kick, ban] = ['Kick cem', 'Ban cem'].map((name) => other.getByRole('button', { name }));
    for (const [missing, off, on] of [
      [KickMembers, kick, ban],
      [BanMembers, ban, kick],
    ] as const) {
      await changeRole(moderators, moderates & ~missing);
      await off?.and(page.locator(':disabled')).waitFor();
      expect(await on?.isEnabled()).toBe(true);
    }
    await changeRole(moderators, moderates);
    await kick?.click();
    await page.getByRole('alertdialog', { name: 'Kick cem?' }).getByRole('button', { name: 'Kick' }).click();
    await said(page, 'cem was kicked.');
    expect(faults).toEqual([]);
    await close();
  });
});
