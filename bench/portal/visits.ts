import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Site } from './sites.js';

/** The interface of `page-probe.js` in a page. Times are in milliseconds. */
interface Probe {
  /** Times of the list page since the start of its navigation. */
  load(): Promise<Load>;
  /**
   * Clicks an application of the list.
   * @returns the time until its heading and its form were visible
   */
  open(name: string): Promise<number>;
  goBack(): Promise<void>;
  watchFor(name: string): void;
  /** The time when the list had that name, since 1970. */
  sawAt(): Promise<number>;
  /** @returns the time of the start, since 1970 */
  send(path: string, body: object): Promise<number>;
}

declare const probe: Probe;

interface Load {
  /** First contentful paint. */
  painted: number;
  /** When the applications were in the page. */
  shown: number;
  /** Total time of long tasks beyond 50 ms each. */
  blocked: number;
  /** Cumulative layout shift, without a unit. */
  shift: number;
}

/** The figures of one visit with an empty cache. */
export interface Visit extends Load {
  /** From a click on an application to its page, whose files are not loaded yet. */
  opened: number;
  /** The same again. */
  openedAgain: number;
}

/** The throttling of a page, by the names of the DevTools protocol. */
export interface Slowness {
  /** Slowdown factor of the processor. */
  cpu: number;
  /** Milliseconds; bytes per second. */
  network: { latency: number; downloadThroughput: number; uploadThroughput: number };
}

/** Idle time of a page after it is rendered, in milliseconds. */
const REST_MS = 600;

export async function visit(browser: Browser, site: Site, slowness: Slowness | null): Promise<Visit> {
  const context = await openContext(browser, site);
  const page = await openPage(context, site, slowness);
  const load = await page.evaluate(() => probe.load());
  const opened = await open(page);
  await page.evaluate(() => probe.goBack());
  await setTimeout(REST_MS);
  const openedAgain = await open(page);
  await context.close();
  return { ...load, opened, openedAgain };
}

async function open(page: Page): Promise<number> {
  const took = await page.evaluate(() => probe.open('Application 0'));
  await setTimeout(REST_MS);
  return took;
}

/**
 * Renames an application in one browser and shows it in another one.
 * @returns the milliseconds until each name was visible
 */
export async function renamings(browser: Browser, site: Site, count: number): Promise<number[]> {
  const contexts = [await openContext(browser, site), await openContext(browser, site)] as const;
  const [hers, theirs] = [await openPage(contexts[0], site), await openPage(contexts[1], site)];
  const took: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `Renamed ${index}`;
    await theirs.evaluate((name) => probe.watchFor(name), name);
    const sentAt = await hers.evaluate(({ path, body }) => probe.send(path, body), site.renaming(name));
    took.push((await theirs.evaluate(() => probe.sawAt())) - sentAt);
  }
  for (const context of contexts) await context.close();
  return took;
}

/** A new browser profile, with a session if the site has one. */
async function openContext(browser: Browser, { server, cookie }: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: server.origin, viewport: { width: 1200, height: 800 } });
  await context.addInitScript({ path: join(import.meta.dirname, 'page-probe.js') });
  const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? [];
  if (cookie !== null) await context.addCookies([{ name, value, url: server.origin }]);
  return context;
}

/** Opens the list, and waits until the network has been idle for half a second. */
async function openPage(context: BrowserContext, { path }: Site, slowness: Slowness | null = null): Promise<Page> {
  const page = await context.newPage();
  if (slowness) await slowDown(page, slowness);
  await page.goto(path, { waitUntil: 'networkidle' });
  return page;
}

async function slowDown(page: Page, { cpu, network }: Slowness): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', { offline: false, ...network });
}
