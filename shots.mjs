import { chromium } from 'playwright-core';
import { writeFileSync, readFileSync, existsSync } from 'node:fs';
const origin = 'http://localhost:4911';
const post = async (path, body, cookie) => { const r = await fetch(origin + path, { method: 'POST', headers: { 'content-type': 'application/json', origin, ...(cookie ? { cookie } : {}) }, body: JSON.stringify(body) }); return { r, j: await r.json() }; };
const state = '/tmp/p1-shots/state.json';
let s;
if (existsSync(state)) s = JSON.parse(readFileSync(state, 'utf8'));
else {
  const sign = async (name) => { const { r } = await post('/auth/sign-up/email', { email: name + '@a.example', password: 'a-good-password-1', name }); return r.headers.getSetCookie()[0].split(';')[0]; };
  const ada = await sign('ada');
  const gq = async (query, input) => (await post('/graphql', { query, variables: { input } }, ada)).j.data;
  await gq('mutation($input: CreateTeamInput!){createTeam(input:$input){team{id}}}', { name: 'Builders' });
  const { createApplication: { application: { id } } } = await gq('mutation($input: CreateApplicationInput!){createApplication(input:$input){application{id}}}', { name: 'Otter bot', description: 'Counts otters, and tells whoever asks.' });
  console.log(JSON.stringify(await gq('mutation($input: UpdateApplicationInput!){updateApplication(input:$input){application{id}}}', { applicationId: id, redirectUris: ['https://otters.example/signed-in', 'http://localhost:8080/back'], privilegedIntents: ['PRESENCES'], defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot', 'applications.commands', 'relationships.read'], permissions: '2048' }] })));
  s = { ada, id };
  writeFileSync(state, JSON.stringify(s));
}
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const tabs = (process.argv[2] ?? 'general,installation,oauth2,bot').split(',');
for (const [width, dark] of [[1200, false], [360, true]]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  const [name, value] = s.ada.split(/=(.*)/s);
  await context.addCookies([{ name, value, url: origin }]);
  const page = await context.newPage();
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log(m.text()));
  page.on('pageerror', (e) => console.log(e.message));
  for (const tab of tabs) {
    await page.goto(`${origin}/portal/applications/${s.id}/${tab}`);
    await page.locator('section.card').first().waitFor({ timeout: 20000 });
    if (tab === 'installation') for (const d of await page.locator('summary').all()) if (process.argv[3]) await d.click();
    await page.waitForTimeout(300);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    console.log(tab, width, 'overflow', over);
    await page.screenshot({ path: `/tmp/p1-shots/${tab}-${width}.png`, fullPage: true });
  }
  await context.close();
}
await browser.close();
