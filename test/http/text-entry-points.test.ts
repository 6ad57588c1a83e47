import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import { it } from '../harness/fixtures.js';
import { createApplication, createGuild, type MadeGuild, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { content } } }`;
const variables = () => ({ input: { channelId: guild.textChannelId, content: 'café' } });
const operation = () => JSON.stringify({ query: SEND, variables: variables() });

function post(path: string, body: Buffer | string, contentType: string, headers: Record<string, string> = {}) {
  return fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': contentType, ...headers },
    body: Buffer.from(body),
  });
}

const graphql = async (...[body, contentType, headers]: [Buffer | string, string, Record<string, string>?]) => {
  const answer = await (await post('/graphql', body, contentType, headers)).json();
  return answer.data?.sendMessage?.message.content ?? answer.errors[0].extensions.code;
};

describe('GraphQL', () => {
  const form = (encoded: string) =>
    `query=${encodeURIComponent(SEND)}&variables=${encodeURIComponent(JSON.stringify(variables())).replace('%C3%A9', encoded)}`;

  it('decodes UTF-8, with a byte order mark, and declared charsets', async () => {
    expect(await graphql(operation(), JSON_TYPE)).toBe('café');
    expect(await graphql(`\ufeff${operation()}`, JSON_TYPE)).toBe('café');
    expect(await graphql(Buffer.from(operation(), 'latin1'), `${JSON_TYPE}; charset=iso-8859-1`)).toBe('café');
    expect(await graphql(form('%C3%A9'), FORM_TYPE)).toBe('café');
    expect(await graphql(form('%E9'), `${FORM_TYPE}; charset=iso-8859-1`)).toBe('café');
  });

  it('refuses text that is not UTF-8, and compressed text', async () => {
    expect(await graphql(Buffer.from(operation(), 'latin1'), JSON_TYPE)).toBe('BAD_USER_INPUT');
    expect(await graphql(form('%E9'), FORM_TYPE)).toBe('BAD_USER_INPUT');
    const compressed = { 'content-encoding': 'gzip' };
    expect(await graphql(gzipSync(operation()), JSON_TYPE, compressed)).toBe('BAD_USER_INPUT');
  });

  it('closes a socket with 1007 for text that is not UTF-8, also in a binary frame', async () => {
    const socket = new WebSocket(`${server.origin.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(Buffer.from('{"type":"connection_init","payload":{"x":"café"}}', 'latin1'));
    expect((await once(socket, 'close'))[0]).toBe(1007);
  });
});

describe('JSON sent as a form, as curl does by default,', () => {
  const REASON = expect.stringContaining('The body is JSON, but its Content-Type says that it is a form.');

  it('is refused by GraphQL', async () => {
    const answer = await post('/graphql', operation(), FORM_TYPE);
    expect((await answer.json()).errors[0].message).toEqual(REASON);
  });

  it('is refused by REST, even if no field is required', async () => {
    const { botToken } = await createApplication(ada);
    const answer = await fetch(`${server.origin}/api/applications/@me`, {
      method: 'PATCH',
      headers: { authorization: `Bot ${botToken}`, 'content-type': FORM_TYPE },
      body: ' {"description":"Counts sheep"}',
    });
    expect(answer.status).toBe(400);
    expect((await answer.json()).errors._errors[0]).toEqual({ code: 'CONTENT_TYPE_INVALID', message: REASON });
  });

  it('is refused by the token endpoint', async () => {
    const answer = await post('/api/oauth2/token', '{"grant_type":"client_credentials"}', FORM_TYPE);
    expect(await answer.json()).toEqual({ error: 'invalid_request', error_description: REASON });
  });
});

describe('/auth', () => {
  const account = JSON.stringify({ name: 'zoé', email: 'zoe@people.example', password: 'correct horse' });

  it('refuses text that is not UTF-8, and compressed text', async () => {
    const refused = await post('/auth/sign-up/email', Buffer.from(account, 'latin1'), JSON_TYPE);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('The body is not valid UTF-8.') });
    const compressed = await post('/auth/sign-up/email', gzipSync(account), JSON_TYPE, { 'content-encoding': 'gzip' });
    expect(await compressed.json()).toMatchObject({ message: expect.stringContaining('"gzip" is not supported') });
  });
});

describe('the token endpoint', () => {
  const form = 'grant_type=client_credentials&client_id=%E9';

  it.each([
    ['text that is not UTF-8', form, {}, 'not valid UTF-8'],
    ['what is compressed', gzipSync(form), { 'content-encoding': 'gzip' }, '"gzip" is not supported'],
  ])('refuses %s', async (_, body, headers, reason) => {
    const answer = await post('/api/oauth2/token', body, FORM_TYPE, headers);
    expect(answer.status).toBe(400);
    const { error, error_description: description } = await answer.json();
    expect([error, description]).toEqual(['invalid_request', expect.stringContaining(reason)]);
  });
});
