import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { type FullPortal, fillPortal } from '../harness/full-portal.js';
import { openPortal, untilShown } from '../harness/portal.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const BUILT = join(import.meta.dirname, '../../dist/pages');

/** Gzip sizes of the built files in bytes, by their paths below `/portal/`. */
const sizes = new Map(
  readdirSync(BUILT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.gz'))
    .map((path) => [path.slice(0, -'.gz'.length), statSync(join(BUILT, path)).size]),
);
const sizeOf = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
const ending = (end: string) => [...sizes.keys()].filter((path) => path.endsWith(end));

describe('the built files', () => {
  it('have at most 400 kB of scripts and styles together, and 14 kB of styles', () => {
    expect(sizeOf(sizes.keys())).toBeLessThan(400_000);
    expect(sizeOf(ending('.css'))).toBeLessThan(14_000);
  });

  it('have at most 15 kB each, except those that every page needs, and the YAML parser', () => {
    const shell = readFileSync(join(BUILT, 'index.html'), 'utf8');
    const large = [...sizes].filter(([path, size]) => size > 15_000 && !shell.includes(path)).map(([path]) => path);
    expect(large.toSorted()).toEqual([
      expect.stringMatching(/^assets\/parts-/),
      expect.stringMatching(/^assets\/yaml-/),
    ]);
    expect(sizeOf(large.filter((path) => path.includes('yaml-')))).toBeLessThan(32_000);
  });
});

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the first page of a visit'), () => {
  let server: TestServer;
  let browser: Browser;
  let full: FullPortal;
  beforeAll(async () => {
    server = await startServer();
    full = await fillPortal(server);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await full.stop();
    await server.stop();
  });

  async function askedBy(path: string, isSignedIn = true) {
    const { page, open, close } = await openPortal(browser, server, isSignedIn ? full.owner : null);
    const asked = { files: new Set<string>(), documents: [] as string[], sockets: 0 };
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/graphql') asked.documents.push(JSON.parse(request.postData() ?? '{}').operationName);
      else if (pathname.startsWith('/portal')) asked.files.add(pathname.replace(/^\/portal\/?/, ''));
    });
    page.on('websocket', () => {
      asked.sockets += 1;
    });
    await open(path);
    await untilShown(page);
    await close();
    return asked;
  }

  const scriptsIn = (files: Set<string>) => sizeOf([...files].filter((path) => path.endsWith('.js')));

  it('needs at most 120 kB of scripts for signing in, and sends no GraphQL operation', async () => {
    const { files, documents, sockets } = await askedBy('/sign-in', false);
    expect(scriptsIn(files)).toBeLessThan(120_000);
    expect([documents, sockets]).toEqual([[], 0]);
  });

  it.each<[path: string, documents: string[]]>([
    ['', ['Frame', 'Home']],
    ['/applications', ['Frame', 'Applications']],
    ['/applications/$applicationId/general', ['Frame', 'Application']],
    ['/applications/$applicationId/installation', ['Frame', 'Application']],
    ['/applications/$applicationId/commands', ['Frame', 'Application', 'Commands', 'CommandServers']],
    ['/teams/$teamId/members', ['Frame', 'Team']],
    ['/servers/$guildId/general', ['Frame', 'Guild', 'GuildInvites']],
  ])(
    'needs at most 175 kB of scripts at %s, and requests the frame and each part of the page once',
    async (path, documents) => {
      const place = path.replace(/\$(\w+)/, (_, name: 'teamId') => full.params[name]);
      const asked = await askedBy(place);
      expect(scriptsIn(asked.files)).toBeLessThan(175_000);
      expect(asked.documents.toSorted()).toEqual(documents.toSorted());
      expect(asked.sockets).toBe(1);
    },
  );

  const routes = JSON.parse(readFileSync(join(BUILT, 'routes.json'), 'utf8')) as string[];

  /** Documents whose subscription sends no initial state are requested again once it is open (`useRenewal`). */
  const RENEWED = ['Interaction', 'InteractionLog', 'ApplicationLog', 'TeamLog', 'GuildLog', 'ChannelMessages'];

  it.each(routes.filter((route) => !/^sign-|parity$/.test(route)))('requests nothing twice at /%s', async (route) => {
    const path = route.replace(/\$(\w+)/g, (_, name: 'teamId') => full.params[name]);
    const { documents, sockets } = await askedBy(`/${path}`);
    const repeated = documents.filter((name, place) => documents.indexOf(name) !== place);
    expect(repeated.filter((name) => !RENEWED.includes(name))).toEqual([]);
    expect([sockets, new Set(documents).size <= 5]).toEqual([1, true]);
  });
});
