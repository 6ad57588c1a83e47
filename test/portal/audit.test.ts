import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { banMember, unbanMember } from '../../src/domain/bans/index.js';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  setChannelOverwrite,
  updateChannel,
} from '../../src/domain/channels/index.js';
import { deleteEmoji, updateEmoji } from '../../src/domain/emojis/index.js';
import { updateGuild } from '../../src/domain/guilds/index.js';
import { addMemberRole, kickMember, removeMemberRole, updateMember } from '../../src/domain/members/index.js';
import { deleteMessage, deleteMessages, pinMessage } from '../../src/domain/messages/index.js';
import { createRole, updateRole } from '../../src/domain/roles/index.js';
import { noBrowser } from '../harness/browser.js';
import { makeEmoji } from '../harness/emojis.js';
import { it } from '../harness/fixtures.js';
import { inviteOf } from '../harness/full-portal.js';
import { hearing, holdAnswer } from '../harness/held-answers.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, renameTeam, setTeamRole, transferApplication } from '../harness/teams.js';
import { callOf, userOf } from '../harness/world.js';

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

const SOON = { timeout: 15_000 };

const rowsOf = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');

async function sentences(page: Page): Promise<string[]> {
  await rowsOf(page).first().waitFor();
  return rowsOf(page).locator('p:first-child').allInnerTexts();
}

async function resetSecret(person: Person, { id }: Pick<MadeApplication, 'id'>): Promise<void> {
  await person.graphql(`mutation ($input: ApplicationIdInput!) { resetClientSecret(input: $input) { clientSecret } }`, {
    input: { applicationId: id },
  });
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the audit log'), () => {
  it('describes each action in a sentence, newest first, and marks entries that come while it is open', async () => {
    const application = await createApplication(ada, 'Otter bot');
    await update(ada, application.id, { name: 'Badger bot' });
    await update(ada, application.id, { public: false, description: 'Digs' });
    await resetSecret(ada, application);
    for (const permissions of ['2048', '1024'])
      await update(ada, application.id, {
        defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot', 'applications.commands'], permissions }],
      });
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${application.id}/audit`);
    expect(await sentences(page)).toEqual([
      'ada changed the server install permissions: added View channels, removed Send messages',
      'ada changed the server install permissions: added Send messages',
      'ada reset the client secret',
      'ada set the description to Digs and turned public installation off',
      'ada changed the name from Otter bot to Badger bot',
      'ada created the application Badger bot',
    ]);
    await update(ada, application.id, { description: '' });
    await page.getByText('1 new entry').waitFor();
    expect(await rowsOf(page).first().innerText()).toMatch(/^ada cleared the description\s*new/);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows actions that happen while it is being loaded again', { tags: ['slow'] }, async () => {
    const application = await createApplication(ada, 'Heron bot');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const untilHeard = hearing(page);
    await open(`/applications/${application.id}/audit`);
    await rowsOf(page).first().waitFor();
    await untilHeard('Heron bot');
    const held = await holdAnswer(page, 'query ApplicationLog(');
    await update(ada, application.id, { description: 'Wades' });
    await held.isGiven;
    await update(ada, application.id, { description: 'Stalks' });
    await untilHeard('Stalks');
    held.release();
    await page.getByText('2 new entries').waitFor();
    expect((await sentences(page))[0]).toMatch(/^ada changed the description from Wades to Stalks/);
    expect(faults).toEqual([]);
    await close();
  });

  it('of a team shows the actions on the team and on its applications', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Lodge');
    await addToTeam(ada, team, bob, 'READ_ONLY');
    await setTeamRole(ada, team, bob, 'DEVELOPER');
    await renameTeam(ada, team, 'Dam');
    const application = await createApplication(ada, 'Beaver bot');
    await transferApplication(ada, application, team);
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/teams/${team.id}/audit`);
    expect(await sentences(page)).toEqual([
      'ada moved Beaver bot to the team',
      'ada created the application Beaver bot',
      'ada changed the name from Lodge to Dam',
      'ada changed the role of bob from read-only to developer',
      'bob joined the team as read-only',
      'ada invited bob as read-only',
      'ada created the team Dam',
    ]);
    await rowsOf(page).first().getByRole('link', { name: 'Beaver bot' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('is filtered by action and by user, and the URL keeps the filter', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Holt');
    await addToTeam(ada, team, bob);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/teams/${team.id}/audit`);
    await rowsOf(page).first().waitFor();
    await page.getByLabel('User', { exact: true }).selectOption({ label: 'bob' });
    await expect.poll(() => sentences(page), SOON).toEqual(['bob joined the team as developer']);
    await page.getByLabel('User', { exact: true }).selectOption({ label: 'All users' });
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Members and invitations: all' });
    await expect
      .poll(() => sentences(page), SOON)
      .toEqual(['bob joined the team as developer', 'ada invited bob as developer']);
    await page.reload();
    await expect.poll(() => sentences(page), SOON).toHaveLength(2);
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Member left' });
    await page.getByText('No entries found.').waitFor();
    await page.goBack();
    await expect.poll(() => sentences(page), SOON).toHaveLength(2);
    expect(faults).toEqual([]);
    await close();
  });

  it('loads older entries, without a gap to those that came in the meantime', { tags: ['slow'] }, async () => {
    const team = await createTeam(ada, 'Weir 0');
    for (let n = 1; n <= 60; n++) await renameTeam(ada, team, `Weir ${n}`);
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/teams/${team.id}/audit`);
    await expect.poll(() => rowsOf(page).count(), SOON).toBe(50);
    await renameTeam(ada, team, 'Weir 61');
    await page.getByText('1 new entry').waitFor();
    await page.getByRole('button', { name: 'Load older entries' }).click();
    await expect.poll(() => rowsOf(page).count(), SOON).toBe(62);
    expect((await sentences(page)).slice(-2)).toEqual([
      'ada changed the name from Weir 0 to Weir 1',
      'ada created the team Weir 61',
    ]);
    expect(await page.getByRole('button', { name: 'Load older entries' }).count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('of a server shows each action and its reason to a member who may view the log', { tags: ['slow'] }, async () => {
    const guild = await createGuild(ada, 'River');
    await inviteOf(ada, guild);
    await invite(ada, guild, bob);
    const { app } = server;
    const owner = callOf(app, await userOf(app, ada));
    const guildId = BigInt(guild.id);
    const him = { guildId, userId: BigInt(bob.id) };
    const channelId = BigInt(guild.textChannelId);
    const { id: roleId } = await createRole(owner, guildId, { name: 'Swimmers', permissions: 0n });
    const SEND = 1n << 11n;
    await updateRole(owner, { guildId, roleId, permissions: SEND, mentionable: true, color: 0xff8800 });
    await updateRole(owner, { guildId, roleId, name: 'Divers' });
    await addMemberRole(owner, { ...him, roleId });
    await removeMemberRole(owner, { ...him, roleId });
    await updateGuild(owner, { guildId, description: 'Wet', verificationLevel: 1, systemChannelId: null });
    await updateGuild(owner, { guildId, systemChannelFlags: 1 });
    const { id: newId } = await createChannel(owner, guildId, { name: 'weir' });
    await updateChannel(owner, newId, { topic: 'Fish' });
    await updateChannel(owner, newId, { name: 'dam' });
    await updateChannel(owner, newId, { type: 5 });
    const { id: parentId } = await createChannel(owner, guildId, { name: 'Water', type: 4 });
    await updateChannel(owner, newId, { parentId, position: 7 });
    await setChannelOverwrite(owner, newId, { targetId: roleId, targetType: 0, allow: SEND, deny: 1n << 10n });
    await deleteChannelOverwrite(owner, newId, roleId);
    await deleteChannel(owner, (await createChannel(owner, guildId, { name: 'pond' })).id);
    await updateMember(owner, { ...him, nick: 'Otter' });
    const emojiId = BigInt(await makeEmoji(server, ada, { guildId: guild.id }, 'wave'));
    await updateEmoji(owner, { guildId, emojiId }, { name: 'splash' });
    await deleteEmoji(owner, { guildId, emojiId });
    const messageId = BigInt(await sendMessage(bob, guild.textChannelId, 'hello'));
    await pinMessage(owner, { channelId, messageId });
    await deleteMessage(owner, { channelId, messageId });
    const two = [await sendMessage(bob, guild.textChannelId, 'a'), await sendMessage(bob, guild.textChannelId, 'b')];
    await deleteMessages(owner, { channelId, messageIds: two.map(BigInt) });
    const application = await createApplication(ada, 'Otter bot');
    await install(ada, application, guild);
    await kickMember(owner.because('Too loud'), him);
    await banMember(owner, him);
    await unbanMember(owner, him);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/servers/${guild.id}/audit`);
    expect((await sentences(page)).map((sentence) => sentence.replace('ada ', ''))).toEqual([
      'unbanned bob',
      'banned bob',
      'kicked bob',
      'installed the application Otter bot',
      'added the bot Otter bot',
      'deleted 2 messages in general',
      'deleted a message from bob in #general',
      'pinned a message from bob in #general',
      'deleted the emoji splash',
      'renamed the emoji wave to splash',
      'created the emoji wave',
      'set the nickname to Otter for bob',
      'deleted the channel pond',
      'created the channel pond',
      'reset the permissions of Divers in dam',
      'set the permissions of Divers in dam: allowed Send messages; denied View channels',
      'changed the channel dam: changed the position from 2 to 7 and set the category to Water',
      'created the channel Water',
      'changed the channel dam: changed the type from text to announcement',
      'renamed the channel weir to dam',
      'changed the channel dam: set the topic to Fish',
      'created the channel dam',
      'changed the system message settings',
      'set the description to Wet, cleared the system messages channel and changed the verification level from none to low',
      'changed the roles of bob: removed Divers',
      'changed the roles of bob: added Divers',
      'renamed the role Swimmers to Divers',
      'changed the role Divers: changed the permissions: added Send messages, set the colour to #ff8800 and turned mentions by everyone on',
      'created the role Divers',
      expect.stringMatching(/^created the invite \w+$/),
    ]);
    await rowsOf(page).nth(2).getByText('Reason: Too loud').waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Emojis: all' });
    await expect.poll(() => rowsOf(page).count(), SOON).toBe(3);
    await makeEmoji(server, ada, { guildId: guild.id }, 'new');
    await page.getByText('1 new entry').waitFor();
    expect(faults).toEqual([]);
    await close();
    await invite(ada, guild, bob);
    const his = await openPortal(browser, server, bob);
    await his.open(`/servers/${guild.id}/audit`);
    await his.page.getByText(/^You need the “.*” permission\.$/).waitFor();
    expect([await rowsOf(his.page).count(), his.faults]).toEqual([0, []]);
    await his.close();
  });
});
