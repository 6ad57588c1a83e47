import { imageSize } from 'image-size';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuild, signUp } from '../harness/people.js';
import { formIn, Visitor } from '../harness/screen.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the page an invite leads to', () => {
  it('is plain text with a mutation that accepts it', async () => {
    const [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
    const guild = await createGuild(ada, 'Harbour');
    const { createInvite } = await ada.graphql(
      'mutation ($input: ChannelIdInput!) { createInvite(input: $input) { url } }',
      { input: { channelId: guild.textChannelId } },
    );
    const page = await fetch(createInvite.url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const [mutation = ''] = /^ *mutation .*$/m.exec(await page.text()) ?? [];
    expect((await bob.graphql(mutation)).joinGuild.guild.name).toBe('Harbour');
  });

  it.each(['AbCdEf12', 'a"}<b>_-', 'x'.repeat(99), '\u0000'])('says of %j that it does not work', async (code) => {
    const page = await fetch(`${server.origin}/invite/${encodeURIComponent(code)}`);
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await page.text()).toBe('This invite does not work: it is over, was taken back, or never was.\n');
  });
});

it('browsers find an icon', async () => {
  const icon = await fetch(`${server.origin}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(imageSize(Buffer.from(await icon.arrayBuffer()))).toMatchObject({ width: 32, height: 32, type: 'png' });
});

describe('the front page', () => {
  it('names the addresses of this instance, and lets nothing be loaded', async () => {
    const page = await fetch(server.origin);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    for (const path of ['/graphql', '/api/v10']) expect(text).toContain(`${server.origin}${path}`);
    expect(text).toContain(server.app.addresses.gatewayUrl);
    expect(text).toContain('href="/oauth2/sign-in"');
    expect(text).not.toContain('metrics');
  });

  it('says who is signed in, and signs them out', async () => {
    const cleo = await signUp(server, 'cleo');
    const visitor = new Visitor(server, cleo);
    const page = await visitor.get('/');
    expect(page.html).toContain('Signed in as <bdi>cleo</bdi>');
    const left = await visitor.send(formIn(page, '/oauth2/sign-out'));
    expect([left.location, visitor.cookie]).toEqual(['/', '']);
    expect((await visitor.get('/')).html).toContain('href="/oauth2/sign-in"');
  });

  it.each(['Bearer', 'Basic YTpi', 'Bot x'])(
    'is for everybody, whatever else they say of themselves: %s',
    async (authorization) => {
      expect((await fetch(server.origin, { headers: { authorization } })).status).toBe(200);
    },
  );
});
