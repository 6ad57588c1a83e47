import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import { PIXEL } from '../harness/images.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { noteHeadings, openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import {
  acceptInvitation,
  addToTeam,
  createTeam,
  inviteToTeam,
  pendingOf,
  removeFromTeam,
  setTeamRole,
  teamOf,
  transferApplication,
} from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  ada = await signUp(server, 'ada');
  bob = await signUp(server, 'bob');
});

const ICON = { name: 'icon.png', mimeType: 'image/png', buffer: PIXEL };
const NO_ICON = { name: 'icon.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };

const said = (page: Page, text: string) => page.getByRole('region', { name: 'Notifications' }).getByText(text);
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the list of teams'), () => {
  it('shows an error at a field, and creates a team with its icon', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open('/teams');
    await page.getByText('Teams let several people manage applications').waitFor();
    await page.getByRole('button', { name: 'New team' }).click();
    const dialog = page.getByRole('dialog', { name: 'New team' });
    await dialog.getByLabel('Name').fill('B');
    await dialog.getByLabel('Icon', { exact: true }).setInputFiles(ICON);
    expect(await dialog.locator('img.image-preview').getAttribute('src')).toMatch(/^blob:/);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('B');
    await dialog.getByLabel('Name').fill('Burrow');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Burrow').waitFor();
    expect(page.url()).toMatch(/\/members$/);
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Teams' }).click();
    const card = page.getByRole('listitem').filter({ hasText: 'Burrow' });
    await card.getByText('owner').waitFor();
    await card.getByText('1 member · 0 applications').waitFor();
    expect(await card.locator('img').getAttribute('src')).toContain('/cdn/team-icons/');
    expect(faults).toEqual([]);
    await close();
  });

  it('shows a team at once when the user joins it elsewhere', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Lodge');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open('/teams');
    await heading(page, 'Teams').waitFor();
    const invitation = await inviteToTeam(ada, team, bob, 'READ_ONLY');
    await acceptInvitation(bob, invitation);
    await page.getByRole('listitem').filter({ hasText: 'Lodge' }).getByText('read-only').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the general page of a team'), () => {
  it('saves the name and the icon, and keeps what was typed if the icon is invalid', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Dam');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}`);
    await page.getByLabel('Name').fill('Big dam');
    await page.getByLabel('Icon', { exact: true }).setInputFiles(NO_ICON);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('input[type=file][aria-invalid=true]').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Big dam');
    await page.getByLabel('Icon', { exact: true }).setInputFiles(ICON);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await said(page, 'Saved').waitFor();
    await heading(page, 'Big dam').waitFor();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
    expect(await page.locator('header.noun img').getAttribute('src')).toContain('/cdn/team-icons/');
    await ada.graphql('mutation ($i: UpdateTeamInput!) { updateTeam(input: $i) { team { id } } }', {
      i: { teamId: team.id, icon: null },
    });
    await page.locator('header.noun img').waitFor({ state: 'detached' });
    expect(await page.locator('.image-preview.none').count()).toBe(1);
    expect(await page.getByRole('region', { name: 'Unsaved changes' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows why the team cannot be deleted, and deletes it after its name is typed', {
    tags: ['slow'],
  }, async () => {
    const team = await createTeam(ada, 'Den');
    const application = await createApplication(ada, 'Denbot');
    await transferApplication(ada, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const untilHeard = hearing(page);
    await open(`/teams/${team.id}/general`);
    const remove = page.getByRole('button', { name: 'Delete team' });
    await remove.waitFor();
    expect(await remove.isDisabled()).toBe(true);
    const dangers = page.locator('section.dangers');
    await dangers.getByText('A team that owns applications cannot be deleted').waitFor();
    await dangers.getByRole('link', { name: 'Denbot' }).waitFor();
    expect(await page.getByRole('button', { name: 'Leave team' }).isDisabled()).toBe(true);
    await ada.graphql(`mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { id } }`, {
      input: { applicationId: application.id, name: 'Denbot' },
    });
    await dangers.getByRole('link', { name: 'Denbot' }).waitFor({ state: 'detached' });
    await remove.click();
    const question = page.getByRole('alertdialog', { name: 'Delete Den?' });
    expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await question.getByLabel("Type the team's name").fill('Den');
    const headings = await noteHeadings(page);
    const held = await holdAnswer(page, 'mutation DeleteTeam(');
    await question.getByRole('button', { name: 'Delete' }).click();
    await untilHeard('NOT_FOUND');
    held.release();
    await heading(page, 'Teams').waitFor();
    expect(await headings()).toEqual(['Den', 'Teams']);
    await page.getByRole('link', { name: 'Den', exact: true }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('hands the team over after the name of a member is typed, who can no longer leave', {
    tags: ['slow'],
  }, async () => {
    const team = await createTeam(ada, 'Sett');
    await addToTeam(ada, team, bob);
    const adas = await openPortal(browser, server, ada);
    const bobs = await openPortal(browser, server, bob);
    await Promise.all([adas.open(`/teams/${team.id}/general`), bobs.open(`/teams/${team.id}/general`)]);
    await bobs.page.getByText('You need the owner role.').first().waitFor();
    expect(await bobs.page.getByRole('button', { name: 'Leave team' }).isEnabled()).toBe(true);
    await adas.page.getByLabel('New owner').selectOption({ label: 'bob' });
    await adas.page.getByRole('button', { name: 'Hand over' }).click();
    const question = adas.page.getByRole('alertdialog', { name: 'Transfer Sett to bob?' });
    await question.getByLabel("Type the member's name").fill('bob');
    await question.getByRole('button', { name: 'Hand over' }).click();
    await said(adas.page, 'bob now owns the team').waitFor();
    await bobs.page.getByText('You own this team. To leave, transfer ownership first, or delete the team.').waitFor();
    await adas.page.getByRole('button', { name: 'Leave team' }).click();
    await adas.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await heading(adas.page, 'Teams').waitFor();
    expect((await teamOf(bob, team)).members).toHaveLength(1);
    expect([...adas.faults, ...bobs.faults]).toEqual([]);
    await Promise.all([adas.close(), bobs.close()]);
  });

  it('notifies a member who is removed while it is open', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Holt');
    await addToTeam(ada, team, bob);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/members`);
    await heading(page, 'Holt').waitFor();
    await page.getByRole('list', { name: 'Members', exact: true }).getByText('ada').waitFor();
    await removeFromTeam(ada, team, bob);
    await page.getByText('You can no longer see this team').waitFor();
    await page.getByRole('link', { name: 'Go to your teams' }).click();
    await heading(page, 'Teams').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the members of a team'), () => {
  it('are invited by e-mail address, and move to the list when they accept', async () => {
    const team = await createTeam(ada, 'Weir');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/members`);
    await page.getByText('To resend an invitation, revoke it and invite the person again.').waitFor();
    const address = page.getByLabel('E-mail address');
    await address.fill('nobody@people.example');
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.locator('input[type=email][aria-invalid=true]').waitFor();
    expect(await address.inputValue()).toBe('nobody@people.example');
    await address.fill(bob.email);
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'read-only' });
    await page.getByRole('button', { name: 'Invite member' }).click();
    const pending = page.getByRole('list', { name: 'Pending invitations' });
    await pending.getByText('bob').waitFor();
    await pending.getByText('read-only').waitFor();
    // The list may change before the response comes. The response empties the field if it still has the same address.
    await expect.poll(() => address.inputValue()).toBe('');
    await address.fill(bob.email);
    await page.getByRole('button', { name: 'Invite member' }).click();
    await page.getByRole('alert').getByText('This user already has a pending invitation.').waitFor();
    await page.getByRole('list', { name: 'Pending', exact: true }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No pending invitations.').waitFor();
    await page.getByRole('button', { name: 'Invite member' }).click();
    await pending.getByText('bob').waitFor();
    const { teams } = await pendingOf(bob);
    await acceptInvitation(bob, teams.at(-1) ?? '');
    await page.getByRole('list', { name: 'Members', exact: true }).getByText('bob').waitFor();
    await page.getByText('No pending invitations.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('have pending invitations that an admin can revoke, and that are disabled without that role', {
    tags: ['slow'],
  }, async () => {
    const [team, cem] = [await createTeam(ada, 'Dam'), await signUp(server, 'cem')];
    await addToTeam(ada, team, bob, 'ADMIN');
    await inviteToTeam(ada, team, cem);
    const { page, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/members`);
    await page.getByLabel('E-mail address').fill(cem.email);
    await page.getByRole('button', { name: 'Invite member' }).click();
    const revoke = page.getByRole('list', { name: 'Pending', exact: true }).getByRole('button', { name: 'Revoke' });
    await revoke.click({ trial: true });
    await setTeamRole(ada, team, bob, 'DEVELOPER');
    await expect.poll(() => revoke.isDisabled(), { timeout: 15_000 }).toBe(true);
    await close();
  });

  it('are invited again after their invitation is revoked, even if the second step has to be retried', {
    tags: ['slow'],
  }, async () => {
    const team = await createTeam(ada, 'Mill');
    await inviteToTeam(ada, team, bob, 'ADMIN');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/members`);
    await page.getByRole('button', { name: 'Revoke and invite again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke and invite again' });
    await dialog.getByLabel('E-mail address').fill('bob@nowhere.example');
    await dialog.getByLabel('Role').selectOption({ label: 'developer' });
    await dialog.getByRole('button', { name: 'Revoke and invite again' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('E-mail address').fill(bob.email);
    await dialog.getByRole('button', { name: 'Invite again' }).click();
    await page.getByRole('list', { name: 'Pending invitations' }).getByText('developer').waitFor();
    expect((await pendingOf(bob)).teams).toHaveLength(1);
    expect(faults).toEqual([]);
    await close();
  });

  it('get other roles, show changes by other users, and are removed', async () => {
    const team = await createTeam(ada, 'Lock');
    await addToTeam(ada, team, bob);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/members`);
    const role = page.getByLabel('Role of bob');
    // The field is disabled until the page knows its user, and takes no keys until then.
    await role.click({ trial: true });
    await role.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Change bob to admin' }).click();
    await expect.poll(async () => (await teamOf(ada, team)).members[1].role, { timeout: 15_000 }).toBe('ADMIN');
    await setTeamRole(bob, team, bob, 'READ_ONLY');
    await said(page, 'bob is now read-only').waitFor();
    expect(await role.inputValue()).toBe('READ_ONLY');
    await page.getByRole('button', { name: 'Remove bob' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove bob from Lock?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.waitFor({ state: 'detached' });
    await role.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('an admin is asked before they give up their own role', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Ford');
    await addToTeam(ada, team, bob, 'ADMIN');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/members`);
    await page.getByLabel('Role of bob').selectOption({ label: 'developer' });
    await page.getByRole('button', { name: 'Change bob to developer' }).click();
    const question = page.getByRole('alertdialog', { name: 'Change your role to developer?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await teamOf(bob, team).then(({ members }) => members.map(({ role }: { role: string }) => role))).toContain(
      'ADMIN',
    );
    await page.getByRole('button', { name: 'Change bob to developer' }).click();
    await question.getByRole('button', { name: 'Change my role' }).click();
    await page.getByText('You need the admin role.').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are listed with what each role may do, as the server decides it', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Quay');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/members`);
    const rowOf = (name: string) => page.getByRole('row', { name }).getByRole('img');
    const named = async (name: string) =>
      Promise.all((await rowOf(name).all()).map((cell) => cell.getAttribute('aria-label')));
    await page.getByRole('heading', { name: 'Role permissions' }).waitFor();
    expect(await named('Leave the team')).toEqual(['no', 'yes', 'yes', 'yes']);
    expect(await named('Change settings')).toEqual(['yes', 'yes', 'yes', 'no']);
    expect(faults).toEqual([]);
    await close();
  });

  it('are disabled with the reason for a read-only member', async () => {
    const team = await createTeam(ada, 'Pier');
    await addToTeam(ada, team, bob, 'READ_ONLY');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/members`);
    await page.getByText('You need the admin role.').first().waitFor();
    const off = [
      page.getByLabel('Role of bob'),
      page.getByLabel('E-mail address'),
      page.getByRole('button', { name: 'Invite member' }),
    ];
    expect(await Promise.all(off.map((part) => part.isDisabled()))).toEqual([true, true, true]);
    await page.getByRole('link', { name: 'General' }).click();
    await page.getByRole('heading', { level: 2, name: 'General' }).waitFor();
    await page.getByText('You need the admin role.').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    const nav = page.getByRole('navigation', { name: 'Team' });
    await nav.getByRole('link', { name: 'Applications' }).click();
    await page.getByText('You need the admin role.').waitFor();
    expect(await page.getByRole('button', { name: 'New application' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Move an application here' }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the applications of a team'), () => {
  it('are moved there after their name is typed, or created there', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Bay');
    await addToTeam(ada, team, bob);
    const application = await createApplication(ada, 'Baybot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const bobs = await openPortal(browser, server, bob);
    await Promise.all([open(`/teams/${team.id}/applications`), bobs.open(`/teams/${team.id}/applications`)]);
    await page.getByText('This team has no applications yet').waitFor();
    await page.getByRole('button', { name: 'Move an application here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Baybot' }).click();
    const question = page.getByRole('alertdialog', { name: 'Move Baybot to Bay?' });
    await question.getByText("You can't move the application back").waitFor();
    await question.getByLabel("Type the application's name").fill(application.name);
    await question.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('link', { name: 'Baybot' }).waitFor();
    await bobs.page.getByRole('link', { name: 'Baybot' }).waitFor();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Second bot');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('I have stored them').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await heading(page, 'Second bot').waitFor();
    await page.getByText('Owned by Bay').waitFor();
    await bobs.page.getByRole('link', { name: 'Second bot' }).waitFor();
    expect([...faults, ...bobs.faults]).toEqual([]);
    await Promise.all([close(), bobs.close()]);
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the pages of a team on a phone'), () => {
  it('do not scroll sideways', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'A team with a name as long as m');
    await addToTeam(ada, team, bob);
    await transferApplication(ada, await createApplication(ada, 'Phone bot'), team);
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    for (const tab of ['general', 'members', 'applications', 'audit']) {
      await open(`/teams/${team.id}/${tab}`);
      await page.locator('.content h2').first().waitFor();
      await page.locator('.skeleton').waitFor({ state: 'detached' });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([tab, wider]).toEqual([tab, 0]);
    }
    expect(faults).toEqual([]);
    await close();
  });
});
