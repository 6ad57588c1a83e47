import { API } from '@discordjs/core';
import { REST } from '@discordjs/rest';
import { ApplicationFlags, OAuth2Scopes } from 'discord-api-types/v10';
import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { startEndpoint } from '../harness/endpoint.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import { ask, type RestAnswer } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let owner: Person;
let application: MadeApplication;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

function patch(json: unknown, path = '/applications/@me'): Promise<RestAnswer> {
  return ask(server, 'PATCH', path, { json, headers: { authorization: `Bot ${application.botToken}` } });
}

async function icon(side: number): Promise<string> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const image = sharp({ create: { width: side, height: side, channels: 3, background: '#000', noise } });
  return `data:image/png;base64,${(await image.png().toBuffer()).toString('base64')}`;
}

describe('a valid edit succeeds', () => {
  test.each(['/applications/@me', '/oauth2/applications/@me'])('PATCH %s returns the application', async (path) => {
    const { status, body } = await patch({ description: 'by its own bot' }, path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: application.id, name: 'Helper', description: 'by its own bot' });
    expectReference('PrivateApplicationResponse', body);
  });

  test('an unmodified client changes every field that Causeway supports', async () => {
    const rest = new REST({ api: `${server.origin}/api`, version: '10' }).setToken(application.botToken);
    const flags = ApplicationFlags.GatewayMessageContentLimited | ApplicationFlags.GatewayPresenceLimited;
    const edited = await new API(rest).applications.editCurrent({
      custom_install_url: 'https://bot.example/add',
      description: 'edited',
      install_params: { scopes: [OAuth2Scopes.Bot], permissions: '8' },
      flags,
      icon: await icon(20),
      cover_image: await icon(20),
      tags: ['fun'],
    });
    expect(edited).toMatchObject({
      custom_install_url: 'https://bot.example/add',
      description: 'edited',
      install_params: { scopes: ['bot'], permissions: '8' },
      flags,
      icon: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(edited).not.toHaveProperty('tags');
  });

  test('integration_types_config enables the given contexts and disables the others', async () => {
    const guild = { oauth2_install_params: { scopes: ['bot'], permissions: '2048' } };
    const user = { oauth2_install_params: { scopes: ['applications.commands'], permissions: '0' } };
    const both = await patch({ integration_types_config: { 0: guild, 1: user } });
    expect(both.body.integration_types_config).toEqual({ 0: guild, 1: user });
    const one = await patch({ integration_types_config: { 1: {} } });
    expect(one.body.integration_types_config).toEqual({ 1: user });
    const again = await patch({ integration_types_config: one.body.integration_types_config });
    expect(again.body.integration_types_config).toEqual({ 1: user });
  });

  test('an application can be sent back as it was read, without a change', async () => {
    const { body } = await patch({});
    const { status, body: again } = await patch(body);
    expect(status).toBe(200);
    expect(again).toEqual(body);
  });

  test('an empty or null URL clears the field', async () => {
    const endpoint = await startEndpoint({ publicKey: application.publicKey });
    const urls = { interactions_endpoint_url: endpoint.url, custom_install_url: 'https://bot.example/a' };
    expect((await patch(urls)).body).toMatchObject(urls);
    await endpoint.close();
    const { body } = await patch({ interactions_endpoint_url: '', custom_install_url: null });
    expect(body.interactions_endpoint_url).toBeNull();
    expect(body).not.toHaveProperty('custom_install_url');
  });

  test('an icon may exceed the normal size limit of a body', async () => {
    const large = await icon(1_200);
    expect(large.length).toBeGreaterThan(2 * 1024 * 1024);
    const { status, body } = await patch({ icon: large });
    expect(status).toBe(200);
    const { body: cleared } = await patch({ icon: null });
    expect([body.icon === null, cleared.icon]).toEqual([false, null]);
  });

  test('the gateway sends the new avatar to the bot', async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(application.botToken);
    const { body } = await patch({ icon: await icon(20) });
    expect((await client.event('USER_UPDATE')).d).toMatchObject({
      id: application.id,
      username: 'Helper',
      avatar: body.icon,
    });
    client.socket.close();
  });
});

describe('an invalid edit is refused with 400', () => {
  const params = (more: object) => ({ oauth2_install_params: { scopes: ['bot'], permissions: '0', ...more } });
  test.each<[string, object, string[], string]>([
    ['a long description', { description: 'x'.repeat(401) }, ['description'], 'BASE_TYPE_BAD_LENGTH'],
    ['a description that is no text', { description: 5.5 }, ['description'], 'STRING_TYPE_CONVERT'],
    [
      'an http install URL',
      { custom_install_url: 'http://bot.example' },
      ['custom_install_url'],
      'URL_TYPE_INVALID_URL',
    ],
    ['no URL as endpoint', { interactions_endpoint_url: 'bot' }, ['interactions_endpoint_url'], 'URL_TYPE_INVALID_URL'],
    ['no context', { integration_types_config: {} }, ['integration_types_config'], 'BASE_TYPE_INVALID'],
    [
      'a wrong scope of the server',
      { integration_types_config: { 0: params({ scopes: ['bot', 'B o t'] }) } },
      ['integration_types_config', '0', 'oauth2_install_params', 'scopes', '1'],
      'STRING_TYPE_REGEX',
    ],
    [
      'the scope bot of a person',
      { integration_types_config: { 0: params({}), 1: params({}) } },
      ['integration_types_config', '1', 'oauth2_install_params', 'scopes'],
      'BASE_TYPE_INVALID',
    ],
    [
      'wrong permissions',
      { install_params: { scopes: [], permissions: 'all' } },
      ['install_params', 'permissions'],
      'BASE_TYPE_INVALID',
    ],
    ['an icon that is no data URI', { icon: 'cat.png' }, ['icon'], 'IMAGE_INVALID'],
    ['an icon that is no image', { icon: 'data:image/png;base64,aGVsbG8=' }, ['icon'], 'IMAGE_INVALID'],
  ])('for %s, at the path of the field', async (_what, json, path, code) => {
    const { status, body } = await patch(json);
    expect(status).toBe(400);
    expect(body.code).toBe(50035);
    const found = path.reduce((node, key) => node?.[key], body.errors);
    expect(found?._errors?.[0]?.code).toBe(code);
  });
});

test('an edit without a bot token is refused with 401', async () => {
  const { status } = await ask(server, 'PATCH', '/applications/@me', { json: { description: 'x' } });
  expect(status).toBe(401);
});

test('an edit is refused with 413 if it exceeds the size of a 10 MiB icon', async () => {
  const { status } = await patch({ icon: `data:image/png;base64,${'A'.repeat(15 * 1024 * 1024)}` });
  expect(status).toBe(413);
});
