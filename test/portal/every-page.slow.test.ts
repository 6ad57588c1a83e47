import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeFaults } from '../harness/axe.js';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { type FullPortal, fillPortal } from '../harness/full-portal.js';
import { createApplication, createGuild, signUp } from '../harness/people.js';
import { openPortal, type PortalTab, untilShown } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createTeam } from '../harness/teams.js';

/** Paths of all pages, from the build. */
const ROUTES = JSON.parse(readFileSync(join(import.meta.dirname, '../../dist/pages/routes.json'), 'utf8')) as string[];
const isOfVisitors = (route: string) => /^sign-/.test(route);

let server: TestServer;
let browser: Browser;
let full: FullPortal;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  full = await fillPortal(server);
  browser = chromium;
});
afterAll(async () => {
  await full.stop();
});

/** Faults of a page: colours in both themes, all other axe rules once, and excess width on a phone and at twice the text size. */
async function examine({ page }: PortalTab): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = { light: await axeFaults(page) };
  await page.emulateMedia({ colorScheme: 'dark' });
  found.dark = await axeFaults(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  found.forced = await vanishing(page);
  await page.setViewportSize({ width: 360, height: 740 });
  found.phone = await tooWide(page);
  // A browser at twice the size lays the page out as in a window of half the width and height.
  await page.setViewportSize({ width: 600, height: 400 });
  found.large = await tooWide(page);
  await page.setViewportSize({ width: 1200, height: 800 });
  return Object.fromEntries(Object.entries(found).filter(([, faults]) => faults.length > 0));
}

/** Elements that only their background makes visible, and that vanish with forced colours. */
async function vanishing(page: Page): Promise<string[]> {
  const painted = await page.evaluateHandle(() =>
    [...document.querySelectorAll('main *, header *, [role$=dialog] *')].filter((each) => {
      const { width, height } = each.getBoundingClientRect();
      const { backgroundColor } = getComputedStyle(each);
      return width > 0 && height > 0 && !each.textContent?.trim() && !/^rgba\(.*, 0\)$/.test(backgroundColor);
    }),
  );
  await page.emulateMedia({ forcedColors: 'active' });
  const found = await painted.evaluate((elements) => {
    const { backgroundColor } = getComputedStyle(document.body);
    return elements
      .filter((each) => {
        const style = getComputedStyle(each);
        const hasLine = Number.parseFloat(style.borderTopWidth) > 0 || style.outlineStyle !== 'none';
        return style.backgroundColor === backgroundColor && !hasLine && !each.querySelector('img, svg, input');
      })
      .map((each) => each.outerHTML.slice(0, 160));
  });
  await page.emulateMedia({ forcedColors: 'none' });
  return found;
}

function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (each) => each.getBoundingClientRect().right > clientWidth,
    );
    return wide.slice(-3).map((each) => each.outerHTML.slice(0, 160));
  });
}

async function partsOf({ page, faults }: PortalTab) {
  return {
    headings: await page.locator('h1').count(),
    mains: await page.locator('main').count(),
    refusals: await page.locator('.notice[role=alert]').allTextContents(),
    isNamed: (await page.title()).endsWith('Causeway'),
    faults: faults.splice(0),
  };
}

const WELL = { headings: 1, mains: 1, refusals: [], isNamed: true, faults: [] };

async function look(tab: PortalTab, path: string): Promise<object> {
  await tab.open(`/${path}`);
  await untilShown(tab.page);
  return { ...(await partsOf(tab)), ...(await examine(tab)) };
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'every page is accessible'), () => {
  it.each(ROUTES.filter(isOfVisitors))('at /%s without a session', async (route) => {
    const tab = await openPortal(browser, server, null);
    expect(await look(tab, route)).toEqual(WELL);
    await tab.close();
  });

  describe('with data', () => {
    let tab: PortalTab;
    beforeAll(async () => {
      tab = await openPortal(browser, server, full.owner);
    });
    afterAll(() => tab.close());

    const pathOf = (route: string) => {
      const params: Record<string, string> = { ...full.params };
      if (route.endsWith('parity')) params.guildId = full.selfHostedId;
      return route.replace(/\$(\w+)/g, (_, name: string) => params[name] ?? `no ${name}`);
    };

    it.each(ROUTES.filter((route) => !isOfVisitors(route)))('at /%s', async (route) => {
      expect(await look(tab, pathOf(route))).toEqual(WELL);
    });

    it.each([
      'applications/$applicationId/commands/1',
      'applications/$applicationId/interactions/1',
      'servers/$guildId/channels/1',
      'servers/$guildId/channels/1/settings',
      'servers/$guildId/roles/1',
      'servers/$guildId/integrations/$applicationId/1',
    ])('at /%s, which is missing in something that exists', async (route) => {
      await tab.open(`/${pathOf(route)}`);
      await tab.page.getByRole('heading', { level: 2, name: 'Not found' }).waitFor();
      expect({ ...(await partsOf(tab)), ...(await examine(tab)) }).toEqual(WELL);
    });

    const withMalformedId = ROUTES.flatMap((route) =>
      [...route.matchAll(/\$\w+Id/g)].map(({ 0: param, index }) => ({
        route: `${route.slice(0, index)}abc${route.slice(index + param.length)}`,
      })),
    );
    it.each(withMalformedId)('at /$route with an impossible id', async ({ route }) => {
      await tab.open(`/${pathOf(route)}`);
      await tab.page.getByRole('heading', { name: 'Not found' }).waitFor();
      expect({ ...(await partsOf(tab)), faults: [] }).toEqual(WELL);
    });

    it.each<[route: string, button: string | RegExp]>([
      ['', 'View as GraphQL'],
      ['applications', 'New application'],
      ['applications/$applicationId/general', 'Delete application'],
      ['applications/$applicationId/general', 'Transfer to a team'],
      ['applications/$applicationId/bot', 'Reset bot token'],
      ['applications/$applicationId/oauth2', 'Reset client secret'],
      ['applications/$applicationId/webhooks', 'New webhook'],
      ['applications/$applicationId/emojis', 'New emoji'],
      ['servers/$guildId/emojis', 'Edit anchor'],
      ['teams', 'New team'],
      ['servers', 'New server'],
      ['servers', 'Join with an invite'],
      ['servers/$guildId/general', 'New invite'],
      ['servers/$guildId/general', 'Delete server'],
      ['servers/$guildId/channels', 'New channel'],
      ['servers/$guildId/channels/$channelId/settings', 'Delete channel'],
      ['servers/$guildId/general', /^Revoke /],
      ['servers/$guildId/members', 'Manage mate'],
      ['servers/$guildId/integrations', 'Uninstall Otter bot'],
      ['applications/$applicationId/commands/$commandId', 'Delete command'],
      ['teams/$teamId/members', 'Remove mate'],
      ['teams/$teamId/members', 'Revoke and invite again: guest'],
      ['teams/$teamId/applications', 'Move an application here'],
      ['account', 'New token'],
      ['account', 'Download my data'],
      ['boxes', 'New box'],
      ['boxes/$boxId', 'Delete box'],
      ['instance/people/$personId', 'Suspend'],
      ['instance/people/$personId', 'Password link'],
      ['instance/people/$personId', 'Export data'],
      ['instance/boxes', /^Disconnect /],
      ['instance/applications/$applicationId', 'Suspend'],
      ['instance/servers/$guildId', 'Delete server'],
    ])('at /%s with “%s” open', async (route, button) => {
      await tab.open(`/${pathOf(route)}`);
      await untilShown(tab.page);
      const opener = tab.page.getByRole('button', { name: button, exact: true });
      await opener.click();
      const dialog = tab.page.getByRole('dialog').or(tab.page.getByRole('alertdialog'));
      await dialog.waitFor();
      expect(await examine(tab)).toEqual({});
      await tab.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await opener.and(tab.page.locator(':focus')).waitFor();
      expect(tab.faults).toEqual([]);
    });

    it.each<[what: string, route: string, open: (page: Page) => Promise<void>]>([
      [
        'the switcher, and nothing that fits',
        '',
        async (page) => {
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill('zzz');
          await page.getByText('No matches.').waitFor();
        },
      ],
      [
        'commands to pick',
        'servers/$guildId/channels/$channelId',
        async (page) => {
          await page.getByLabel(/^Message #/).press('/');
          await page.getByRole('option').first().waitFor();
        },
      ],
      [
        'a command to fill in',
        'servers/$guildId/channels/$channelId',
        async (page) => {
          await page.getByLabel(/^Message #/).press('/');
          await page.getByRole('option', { name: /dive/ }).click();
          await page.getByRole('region', { name: 'Command dive' }).waitFor();
        },
      ],
      [
        'the question before something typed is left',
        'applications/$applicationId/general',
        async (page) => {
          await page.getByLabel('Description').fill('Typed');
          await page.getByRole('link', { name: 'Teams' }).click();
          await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
        },
      ],
      [
        'people to choose an operator from',
        'instance/operators',
        async (page) => {
          await page.getByRole('button', { name: 'Add' }).click();
          await page.getByRole('combobox', { name: 'Person' }).fill('mate');
          await page.getByRole('option').first().waitFor();
        },
      ],
      [
        'the new owner of a server chosen',
        'instance/servers/$guildId',
        async (page) => {
          await page.getByRole('button', { name: 'Transfer ownership' }).click();
          await page.getByRole('combobox', { name: 'New owner' }).fill('mate');
          await page.getByRole('option').first().click();
          await page
            .getByRole('dialog')
            .getByRole('button', { name: 'Transfer ownership' })
            .and(page.locator(':enabled'))
            .waitFor();
        },
      ],
      [
        'a new token, shown once',
        'applications/$applicationId/bot',
        async (page) => {
          await page.getByRole('button', { name: 'Reset bot token' }).click();
          await page.getByRole('alertdialog').getByRole('button', { name: 'Reset bot token' }).click();
          await page.getByRole('dialog', { name: 'Your new bot token' }).waitFor();
        },
      ],
    ])('with %s open', async (_what, route, open) => {
      const fresh = await openPortal(browser, server, full.owner);
      await fresh.open(`/${pathOf(route)}`);
      await untilShown(fresh.page);
      await open(fresh.page);
      expect(await examine(fresh)).toEqual({});
      expect(fresh.faults).toEqual([]);
      await fresh.close();
    });
  });

  describe('without data', () => {
    let tab: PortalTab;
    let paths: Map<string, string>;
    beforeAll(async () => {
      const newcomer = await signUp(server, 'newcomer');
      tab = await openPortal(browser, server, newcomer);
      const own = await signUp(server, 'beginner');
      const [{ id: applicationId }, { id: teamId }, { id: guildId }] = [
        await createApplication(own, 'New bot'),
        await createTeam(own, 'New team'),
        await createGuild(own, 'New server'),
      ];
      paths = new Map(Object.entries({ applicationId, teamId, guildId }));
      beginner = await openPortal(browser, server, own);
    });
    afterAll(async () => {
      await tab.close();
      await beginner.close();
    });
    let beginner: PortalTab;

    it.each(['', 'applications', 'teams', 'servers', 'boxes'])('at /%s', async (route) => {
      expect(await look(tab, route)).toEqual(WELL);
    });

    it.each(
      ROUTES.filter((route) => /^\w+\/\$(application|team|guild)Id\/\w+$/.test(route) && !route.endsWith('parity')),
    )('at /%s', async (route) => {
      expect(
        await look(
          beginner,
          route.replace(/\$(\w+)/, (_, name: string) => paths.get(name) ?? ''),
        ),
      ).toEqual(WELL);
    });

    it.each([
      'nonsense',
      'applications/1/general',
      'teams/1/general',
      'servers/1/general',
      'boxes/1',
      'invite/AbCd1234',
      'applications/-1/general',
      'applications/1e3/general',
      'applications/%20/general',
      'teams/٣/general',
      'servers/99999999999999999999999999/general',
      'boxes/%22%3E',
      'invite/%22%3Cb%3E',
      'invite/no-such-code',
    ])('at /%s, which is missing', async (path) => {
      await tab.open(`/${path}`);
      await tab.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      expect(await examine(tab)).toEqual({});
      tab.faults.length = 0;
    });
  });
});
