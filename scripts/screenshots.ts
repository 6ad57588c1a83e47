// `npm run screenshots`: takes light and dark screenshots of the portal's main pages in the demo, for the README.
// CHROMIUM_PATH names a browser other than /usr/bin/chromium.
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { DemoInstance } from './demo/instance.js';
import { makeWorld, PASSWORD, talk, type World } from './demo/world.js';

const folder = resolve(import.meta.dirname, '../docs/screenshots');

const pagesOf = ({ lunch, guildId, kitchenId }: World) => ({
  home: '',
  interactions: `/applications/${lunch.id}/interactions`,
  channel: `/servers/${guildId}/channels/${kitchenId}`,
});

const demo = new DemoInstance();
try {
  await demo.start({ PORT: '0' }, () => {});
  const world = await makeWorld(demo.api);
  await demo.startBot('hello-bot', world.hello.botToken, () => {});
  await demo.startBot('slash-bot', world.lunch.botToken, () => {});
  await talk(world);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args });
  for (const theme of ['light', 'dark'] as const) await picture(browser, theme, pagesOf(world));
  await browser.close();
} finally {
  await demo.stop();
}

async function picture(browser: Browser, theme: 'light' | 'dark', pages: Record<string, string>): Promise<void> {
  const context = await browser.newContext({
    baseURL: demo.origin,
    viewport: { width: 1200, height: 750 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await signIn(page);
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`/portal${path}`);
    await untilShown(page);
    const file = join(folder, `${name}-${theme}.png`);
    await page.screenshot({ path: file });
    console.log(file);
  }
  await context.close();
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/portal/sign-in');
  await page.getByLabel('E-mail address').fill('ada@demo.example');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
}

async function untilShown(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForFunction(() => !document.querySelector('.skeleton, .loading'));
  await page.waitForLoadState('networkidle');
}
