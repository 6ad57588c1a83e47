import type { Browser, Page } from 'playwright-core';
import { onTestFailed, TestRunner } from 'vitest';
import type { Person } from './people.js';
import type { TestServer } from './server.js';

export interface PortalTab {
  page: Page;
  /** Violations of the Content-Security-Policy, errors of scripts, and logged errors. */
  faults: string[];
  /** Opens a page of the portal, such as `/applications`. */
  open(path?: string): Promise<void>;
  close(): Promise<void>;
}

export interface PortalTabOptions {
  width?: number;
  dark?: boolean;
  hasTouch?: boolean;
  /** The origin of another process on the same database. */
  origin?: string;
}

export async function openPortal(
  browser: Browser,
  server: Pick<TestServer, 'origin'>,
  person: Pick<Person, 'cookie'> | null,
  { width = 1200, dark = false, hasTouch = false, origin = server.origin }: PortalTabOptions = {},
): Promise<PortalTab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    hasTouch,
    baseURL: origin,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(15_000);
  if (person) await context.addCookies([cookieOf(person, origin)]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  showOnFailure(page, faults);
  return {
    page,
    faults,
    async open(path = '') {
      await page.goto(`/portal${path}`);
    },
    close: () => context.close(),
  };
}

/** Prints what a failed test's page shows, and its faults. A page that a hook opens belongs to no test. */
function showOnFailure(page: Page, faults: string[]): void {
  if (!TestRunner.getCurrentTest()) return;
  onTestFailed(async () => {
    const shown = page.isClosed() ? 'closed' : await page.locator('body').innerText({ timeout: 2_000 }).catch(String);
    process.stderr.write(`A page of the failed test, ${page.url()}:\n${shown}\nFaults: ${JSON.stringify(faults)}\n`);
  });
}

export async function untilShown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.skeleton, .loading'));
}

/**
 * Records the first heading of a page from now on.
 * @returns a function that reads the headings in order
 */
export async function noteHeadings(page: Page): Promise<() => Promise<string[]>> {
  const noted = await page.evaluateHandle(() => {
    const names: string[] = [];
    const note = () => {
      const name = document.querySelector('h1')?.textContent;
      if (name && name !== names.at(-1)) names.push(name);
    };
    note();
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    return names;
  });
  return () => noted.jsonValue();
}

function cookieOf({ cookie }: Pick<Person, 'cookie'>, origin: string) {
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  return { name, value, url: origin, httpOnly: true, sameSite: 'Lax' as const };
}
