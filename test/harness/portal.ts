import type { Browser, Page } from 'playwright-core';
import type { Person } from './people.js';
import type { TestServer } from './server.js';

export interface PortalTab {
  page: Page;
  /** What the browser refused because the pages' policy says so, what went wrong in scripts, and what they logged as an error. */
  faults: string[];
  /** Opens a page of the portal, such as `/applications`. */
  open(path?: string): Promise<void>;
  close(): Promise<void>;
}

export interface PortalTabOptions {
  width?: number;
  dark?: boolean;
  /** Whether pages are touched, as on a telephone. */
  hasTouch?: boolean;
  /** Of another process on the same database. */
  origin?: string;
}

/** A browser profile of its own, signed in as somebody, with one tab. */
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
  return {
    page,
    faults,
    async open(path = '') {
      await page.goto(`/portal${path}`);
    },
    close: () => context.close(),
  };
}

/** Until everything that the page asked for is there. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.skeleton, .loading'));
}

/** Notes what a page is called from now on, by its first heading. @returns reads what it was called, one after the other */
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
