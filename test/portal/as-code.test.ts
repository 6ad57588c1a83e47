import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { OF_ROLE, putCommand, putPermissions } from '../harness/command-rows.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let browser: Browser;
it.beforeAll(({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
});

const fileOf = async (owner: Person, { id }: { id: string }): Promise<Loose> =>
  (await owner.graphql('query ($id: ID!) { application(id: $id) { file } }', { id })).application.file;

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'an application as code'), () => {
  it('the current file is shown live, can be downloaded, and plans no change', async () => {
    const ada = await signUp(server, 'ada');
    const application = await createApplication(ada, 'Otter');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(`/applications/${application.id}/as-code`);
    const file = page.getByRole('region', { name: 'causeway.app.yaml' });
    await file.getByText('name: Otter').waitFor();
    await update(ada, application.id, { description: 'Swims: well' });
    await file.getByText('description: "Swims: well"').waitFor();
    const [downloaded] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(downloaded.suggestedFilename()).toBe('causeway.app.yaml');
    const text = await readFile(await downloaded.path(), 'utf8');
    expect(text).toBe(await file.locator('pre').textContent());
    await page.getByLabel('File as YAML').fill(text);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('The application already matches the file.').waitFor();
    expect(await page.getByRole('button', { name: 'Apply changes' }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('a pasted file shows its plan with lost permissions, and is applied after a question', async () => {
    const bob = await signUp(server, 'bob');
    const application = await createApplication(bob, 'Otter');
    const guild = await createGuild(bob, 'Harbour');
    await install(bob, application, guild);
    const applicationId = BigInt(application.id);
    const { id: commandId } = await putCommand(server.app, applicationId, { name: 'dive', description: 'Goes under' });
    const key = { guildId: BigInt(guild.id), applicationId, commandId };
    await putPermissions(server.app, key, { targetType: OF_ROLE, targetId: BigInt(guild.id), allow: true });
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(`/applications/${application.id}/as-code`);
    await page.getByLabel('File as YAML').fill(`name: Beaver
commands:
  - name: swim
    description: Stays up
webhooks:
  - name: Deploys
    channel: ${guild.textChannelId}
`);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    const plan = page.getByRole('region', { name: 'Planned changes' });
    await plan.getByText('name', { exact: true }).waitFor();
    await plan.getByText('1 created, 0 changed, 1 deleted, 0 unchanged.').waitFor();
    await plan.getByText('command permissions removed: 1').waitFor();
    await plan.getByRole('listitem').filter({ hasText: 'Deploys' }).getByText('#general').waitFor();
    await plan.getByRole('button', { name: 'Apply changes' }).click();
    const question = page.getByRole('alertdialog', { name: 'Apply these changes?' });
    await question.getByText("Command permissions removed in total: 1. This can't be undone.").waitFor();
    expect(await fileOf(bob, application)).toMatchObject({ name: 'Otter' });
    await question.getByRole('button', { name: 'Apply changes' }).click();
    const shown = page.getByRole('dialog', { name: 'URLs of the new webhooks' });
    expect(await shown.locator('code').textContent()).toContain('/api/webhooks/');
    await shown.getByLabel('I have stored it').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Beaver' }).waitFor();
    expect(await fileOf(bob, application)).toMatchObject({
      name: 'Beaver',
      commands: [{ name: 'swim', description: 'Stays up' }],
      webhooks: [{ name: 'Deploys', channel: guild.textChannelId }],
    });
    expect(faults).toEqual([]);
    await close();
  });

  it('faults name the line, also in a chosen file, and the input stays', async () => {
    const cleo = await signUp(server, 'cleo');
    const application = await createApplication(cleo, 'Otter');
    const { page, open, close } = await openPortal(browser, server, cleo);
    await open(`/applications/${application.id}/as-code`);
    const path = join(tmpdir(), `causeway-${application.id}.yaml`);
    await writeFile(path, 'name: Otter\nnam: Beaver\ncommands:\n  - name: Upper\n    description: x\n');
    await page.getByLabel('Choose a file').setInputFiles(path);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('Line 2: nam: This field is not supported.').waitFor();
    await page.getByText('Line 4: commands.0.name: Command name is invalid: letters must be lowercase.').waitFor();
    expect(await page.getByLabel('File as YAML').inputValue()).toContain('nam: Beaver');
    await page.getByLabel('File as YAML').fill('name: [');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText(/^Line 1: /).waitFor();
    await close();
  });

  it('a change by another person makes the plan outdated, and nothing is applied', async () => {
    const dan = await signUp(server, 'dan');
    const application = await createApplication(dan, 'Otter');
    const { page, open, close } = await openPortal(browser, server, dan);
    await open(`/applications/${application.id}/as-code`);
    await page.getByLabel('File as YAML').fill('name: Beaver');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByRole('region', { name: 'Planned changes' }).getByText('“Otter”').waitFor();
    await update(dan, application.id, { name: 'Heron' });
    await page.getByRole('button', { name: 'Apply changes' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Apply changes' }).click();
    await page.getByRole('alert').getByText('The application changed after this plan was made').waitFor();
    expect((await fileOf(dan, application)).name).toBe('Heron');
    expect(await page.getByLabel('File as YAML').inputValue()).toBe('name: Beaver');
    await close();
  });

  it('a member without permission sees the file, and why a plan is disabled', async () => {
    const [eve, fay] = [await signUp(server, 'eve'), await signUp(server, 'fay')];
    const application = await createApplication(eve, 'Otter');
    const team = await createTeam(eve);
    await transferApplication(eve, application, team);
    await addToTeam(eve, team, fay, 'READ_ONLY');
    const { page, faults, open, close } = await openPortal(browser, server, fay, { width: 360, dark: true });
    await open(`/applications/${application.id}/as-code`);
    await page.getByRole('region', { name: 'causeway.app.yaml' }).getByText('name: Otter').waitFor();
    await page.getByLabel('File as YAML').fill('name: Beaver');
    expect(await page.getByRole('button', { name: 'Preview changes' }).isDisabled()).toBe(true);
    await page.getByText('You need the developer role.').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
