import { describe, expect } from 'vitest';
import type { SessionDescription, TranscriptEntry } from '../../src/sandbox/protocol.js';
import { SandboxError } from '../../src/testing/index.js';
import { test } from '../harness/sandbox.js';

describe('the control API', () => {
  test('refuses a request without the token, or with another one', async ({ running }) => {
    for (const authorization of [undefined, 'Bearer wrong', running.token]) {
      const response = await fetch(`${running.url}/worlds`, {
        method: 'POST',
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'WRONG_TOKEN' });
    }
  });

  test('does not exist in a program that was not started as a sandbox', async ({ server }) => {
    for (const path of ['/sandbox', '/sandbox/', '/sandbox/worlds', '/sandbox/openapi.json']) {
      expect((await fetch(server.origin + path)).status).toBe(404);
    }
  });

  test('has a page that contains no data, so that it needs no token', async ({ running }) => {
    const { origin, pathname } = new URL(running.page);
    const page = await fetch(origin + pathname);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await page.text()).not.toContain(running.token);
  });

  test('signs a browser in with a cookie, and names the channel to play in', async ({ instance, running }) => {
    const world = await instance.createWorld({ guilds: [{ name: 'Kitchen', members: ['ada'] }] });
    const signIn = async (name: string) => {
      const path = `${running.url}/worlds/${world.id}/people/${name}/sessions`;
      const response = await fetch(path, { method: 'POST', headers: { authorization: `Bearer ${running.token}` } });
      return { line: response.headers.get('set-cookie'), session: (await response.json()) as SessionDescription };
    };
    const ada = await signIn('ada');
    expect(ada.line).toBe(`${ada.session.cookie}; Path=/; HttpOnly; SameSite=Lax`);
    expect(ada.session.portal).toBe(`/portal/servers/${world.guild.id}/channels/${world.guild.channels[0]?.id}`);
    expect((await signIn('grace')).session.portal).toBe('/portal');
  });

  test('gives a world again by its id', async ({ instance }) => {
    const made = await instance.createWorld({ people: ['ada'] });
    const found = await instance.world(made.id);
    expect([found.bot.token, found.person('ada').id]).toEqual([made.bot.token, made.person('ada').id]);
    await expect(instance.world('none')).rejects.toMatchObject({ code: 'UNKNOWN_WORLD' });
  });

  test('holds a request for the transcript until something happens', async ({ instance, running }) => {
    const world = await instance.createWorld();
    const read = async (after: number, withinMs: number) => {
      const path = `${running.url}/worlds/${world.id}/transcript?after=${after}&withinMs=${withinMs}`;
      const response = await fetch(path, { headers: { authorization: `Bearer ${running.token}` } });
      return (await response.json()) as TranscriptEntry[];
    };
    expect(await read(0, 20)).toEqual([]);
    const waiting = read(0, 30_000);
    await world.person('ada').send('hello');
    expect((await waiting)[0]).toMatchObject({
      number: 1,
      kind: 'person',
      text: expect.stringMatching(/^ada writes in .*: hello$/),
    });
  });

  test('describes all of its routes in an OpenAPI document, which a browser can open', async ({ running }) => {
    const response = await fetch(`${running.url}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, object> };
    expect(paths['/sandbox/worlds/{world}/transcript']).toMatchObject({
      get: {
        responses: { 200: { content: { 'application/json': {}, 'application/x-ndjson': {}, 'text/plain': {} } } },
      },
    });
    expect(Object.keys(paths)).toContain('/sandbox/worlds/{world}/people/{person}/commands');
    expect(Object.keys(paths['/sandbox/worlds/{world}'] ?? {})).toEqual(['get', 'delete']);
  });

  test('names each fault of a seed with its path', async ({ instance }) => {
    const seed = { people: ['ada', 'ADA'], guilds: [{ name: 'Kitchen', owner: 'bob' }] };
    const refusal = await instance.createWorld(seed).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SandboxError);
    expect((refusal as SandboxError).fields).toMatchObject([{ path: 'people.1.name' }]);
    await expect(instance.createWorld({ guilds: [{ name: 'Kitchen', owner: 'bob' }] })).rejects.toThrow(
      'guilds.0.owner: The world has no person with the name "bob".',
    );
  });

  test('leaves nothing of a world with an invalid command', async ({ instance, running }) => {
    const people = () => running.app.db.reader.user.count();
    const before = await people();
    const applications = [{ name: 'Lunch bot', commands: [{ name: 'Not Valid', description: 'x' }] }];
    await expect(instance.createWorld({ applications })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await people()).toBe(before);
  });

  test('accepts a seed in YAML', async ({ instance }) => {
    const world = await instance.createWorld('guilds:\n  - name: Kitchen\n    channels: [kitchen, office]\n');
    expect(world.guild.channels.map(({ name }) => name)).toEqual(['kitchen', 'office']);
    await expect(instance.createWorld('guilds: [')).rejects.toMatchObject({ code: 'INVALID_YAML', status: 400 });
  });

  test('lists what exists if a name is unknown', async ({ instance, running }) => {
    const world = await instance.createWorld();
    const path = `/worlds/${world.id}/people/bob/messages`;
    const response = await fetch(running.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'general', content: 'hello' }),
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: 'UNKNOWN_PERSON',
      message: 'There is no person "bob". There are: ada, grace.',
    });
  });
});
