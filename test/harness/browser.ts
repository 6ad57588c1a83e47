import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core';

/**
 * The headless shell has no window code and starts faster. Debian's packages are `chromium-headless-shell` and
 * `chromium`.
 */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const path = process.env.CHROMIUM_PATH ?? PATHS.find((candidate) => existsSync(candidate)) ?? '';

/** The reason why there is no browser, or null. */
export const noBrowser = existsSync(path)
  ? null
  : `no browser at ${path || PATHS.join(' or ')}; install chromium, or name another one with CHROMIUM_PATH`;

export function openBrowser(options: LaunchOptions = {}): Promise<Browser> {
  // The sandbox does not start for root. Tests open only trusted pages.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: path, args, ...options });
}

export interface Tab {
  context: BrowserContext;
  page: Awaited<ReturnType<BrowserContext['newPage']>>;
  violations: string[];
}

/** A new profile with one page, in which no script runs. */
export async function openTab(browser: Browser, options: { width?: number; dark?: boolean } = {}): Promise<Tab> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: options.width ?? 1200, height: 800 },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  return { context, page, violations };
}
