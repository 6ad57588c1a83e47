import { get } from 'node:http';
import type { Client } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../src/context.js';
import { Permission } from '../../src/domain/permissions.js';
import { OperationBudget } from '../../src/schema/budget.js';
import { watchChannel } from '../../src/schema/channel-events.js';
import { Loaders } from '../../src/schema/loaders.js';
import { Streams } from '../../src/schema/streams.js';
import { Turn } from '../../src/schema/turn.js';
import { it } from '../harness/fixtures.js';
import { countListeners } from '../harness/listeners.js';
import { createGuild, invite, type MadeGuild, type Person, sendMessage, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { denyInChannel } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let channelId: string;
const clients: Client[] = [];
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  channelId = guild.textChannelId;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

const EVENTS = `subscription ($id: ID!) { channelEvents(channelId: $id) { type data } }`;

function connect(options: Parameters<typeof socketClient>[1]): Client {
  const client = socketClient(server, options);
  clients.push(client);
  return client;
}

let bob: Person;
let bobs = 0;
beforeEach(async () => {
  bobs += 1;
  bob = await signUp(server, `bob${bobs}`);
  await invite(ada, guild, bob);
});

describe('channelEvents over WebSocket', () => {
  it('sends the events of the channel in gateway format, and none of other channels', async () => {
    const events = await subscribe(connect({ token: bob.token }), EVENTS, { id: channelId });
    await sendMessage(ada, guild.voiceChannelId, 'elsewhere');
    const messageId = await sendMessage(ada, channelId, 'hello');
    expect((await events.next()).data.channelEvents).toMatchObject({
      type: 'MESSAGE_CREATE',
      data: { id: messageId, channel_id: channelId, guild_id: guild.id, content: 'hello', author: { id: ada.id } },
    });
    await ada.graphql(`mutation ($id: ID!) { startTyping(input: { channelId: $id }) { channel { id } } }`, {
      id: channelId,
    });
    expect((await events.next()).data.channelEvents).toMatchObject({ type: 'TYPING_START', data: { user_id: ada.id } });
  });

  it('accepts the session cookie of the upgrade request', async () => {
    const events = await subscribe(connect({ headers: { cookie: bob.cookie } }), EVENTS, { id: channelId });
    await sendMessage(ada, channelId, 'by cookie');
    expect((await events.next()).data.channelEvents.data.content).toBe('by cookie');
  });

  it('ignores the session cookie if the page is on another site', async () => {
    const headers = { cookie: bob.cookie, origin: 'https://elsewhere.example' };
    const events = await subscribe(connect({ headers }), EVENTS, { id: channelId });
    expect((await events.next()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('closes a socket whose token is invalid', async () => {
    const closed = new Promise((resolve) => {
      const client = connect({ token: 'nonsense', onClose: resolve });
      client.subscribe({ query: '{ me { id } }' }, { next: () => {}, error: () => {}, complete: () => {} });
    });
    expect(await closed).toBe(4403);
  });

  it('closes a socket whose upgrade has an Authorization header that cannot name a session, even with a valid cookie', async () => {
    const closed = new Promise((resolve) => {
      const client = connect({ headers: { authorization: 'Basic YTpi', cookie: bob.cookie }, onClose: resolve });
      client.subscribe({ query: '{ me { id } }' }, { next: () => {}, error: () => {}, complete: () => {} });
    });
    expect(await closed).toBe(4403);
  });

  it('is refused to unauthenticated callers, to strangers and for a missing channel', async () => {
    const stranger = await signUp(server, `stranger${bobs}`);
    const codeFor = async (token: string | undefined, id: string) => {
      const events = await subscribe(connect(token === undefined ? {} : { token }), EVENTS, { id });
      return (await events.next()).errors?.[0]?.extensions.code;
    };
    expect(await codeFor(undefined, channelId)).toBe('UNAUTHENTICATED');
    expect(await codeFor(stranger.token, channelId)).toBe('NOT_FOUND');
    expect(await codeFor(stranger.token, '1')).toBe('NOT_FOUND');
  });

  it('returns only a code and fields in the error of an invalid document', async () => {
    const events = await subscribe(connect({ token: bob.token }), 'subscription { nope }');
    expect((await events.next()).errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', fields: {} });
  });

  it('ends when the member leaves, and sends no later events', async () => {
    const events = await subscribe(connect({ token: bob.token }), EVENTS, { id: channelId });
    await bob.graphql(`mutation ($id: ID!) { leaveGuild(input: { guildId: $id }) { id } }`, { id: guild.id });
    await sendMessage(ada, channelId, 'secret');
    expect((await events.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await events.ended;
  });

  it('ends when the member can no longer see the channel', async () => {
    const events = await subscribe(connect({ token: bob.token }), EVENTS, { id: channelId });
    await denyInChannel(server, guild, channelId, Permission.ViewChannel);
    await sendMessage(ada, channelId, 'secret');
    expect((await events.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await events.ended;
    await denyInChannel(server, guild, channelId, 0n);
  });

  it('ends when its own session signs out, and continues when another session of the user does', async () => {
    const signIn = await fetch(`${server.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: bob.email, password: bob.password }),
    });
    const { token: second } = await signIn.json();
    const events = await subscribe(connect({ token: bob.token }), EVENTS, { id: channelId });
    const signOut = (token: string) =>
      fetch(`${server.origin}/auth/sign-out`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    await signOut(second);
    await sendMessage(ada, channelId, 'still here');
    expect((await events.next()).data.channelEvents.data.content).toBe('still here');
    await signOut(bob.token);
    expect((await events.next()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    await events.ended;
  });

  it('keeps the other operations of the socket running when one ends', async () => {
    const client = connect({ token: bob.token });
    const refused = await subscribe(client, EVENTS, { id: '1' });
    expect((await refused.next()).errors).toHaveLength(1);
    const events = await subscribe(client, EVENTS, { id: channelId });
    await sendMessage(ada, channelId, 'on');
    expect((await events.next()).data.channelEvents.data.content).toBe('on');
  });

  it('removes its listeners on the server when the client unsubscribes', async () => {
    const listening = countListeners(server);
    const events = await subscribe(connect({ token: bob.token }), EVENTS, { id: channelId });
    expect(listening.count()).toBe(3);
    events.stop();
    await listening.none();
  });

  it('removes its listeners on the server when the socket closes', async () => {
    const listening = countListeners(server);
    const client = connect({ token: bob.token });
    await subscribe(client, EVENTS, { id: channelId });
    expect(listening.count()).toBe(3);
    await client.dispose();
    await listening.none();
  });

  it('ends with an error if the client falls too far behind', async () => {
    const context = {
      app: server.app,
      call: callContext(server.app, { kind: 'person', user: await userOf(bob) }),
      loaders: new Loaders(),
      budget: new OperationBudget(async () => {}),
      streams: new Streams(server.app.clock),
      turn: new Turn(),
      isStillSignedIn: async () => true,
    };
    const queue = await watchChannel(context, BigInt(channelId));
    const typing = `mutation ($id: ID!) { ${Array.from({ length: 90 }, (_, n) => `t${n}: startTyping(input: { channelId: $id }) { channel { id } }`).join(' ')} }`;
    for (let n = 0; n < 3; n += 1) await ada.graphql(typing, { id: channelId });
    await expect(queue.next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });
});

function userOf(person: Person) {
  return server.app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(person.id) } });
}

describe('channelEvents as server-sent events', () => {
  it('sends the events of the channel, and removes its listeners when the client disconnects', async () => {
    const listening = countListeners(server);
    const gone = new AbortController();
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${bob.token}`,
      },
      body: JSON.stringify({ query: EVENTS, variables: { id: channelId } }),
      signal: gone.signal,
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await sendMessage(ada, channelId, 'streamed');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('streamed')) break;
    }
    expect(text).toMatch(/event: next/);
    gone.abort();
    await listening.none();
  });

  it('returns the reason if the subscription is refused', async () => {
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: EVENTS, variables: { id: channelId } }),
    });
    expect(await response.text()).toContain('UNAUTHENTICATED');
  });
});

describe('a stopping server', () => {
  it('closes sockets with 1001 and aborts event streams, so that their clients reconnect', async () => {
    const stopping = await startServer();
    const cleo = await signUp(stopping, 'cleo');
    const home = await createGuild(cleo);
    let close: (code: number) => void = () => {};
    const closed = new Promise<number>((resolve) => {
      close = resolve;
    });
    // The socket opens before the server stops: a later one is refused and closes with 1006.
    await subscribe(socketClient(stopping, { token: cleo.token, onClose: close }), EVENTS, { id: home.textChannelId });
    const streamed = new Promise<string>((resolve, reject) => {
      const url = `${stopping.origin}/graphql?${new URLSearchParams({ query: EVENTS, variables: JSON.stringify({ id: home.textChannelId }) })}`;
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${cleo.token}` };
      get(url, { headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
        if (response.statusCode === 200) void stopping.stop();
      });
    });
    await expect(streamed).rejects.toThrow('aborted');
    expect(await closed).toBe(1001);
  });

  it('refuses a socket that is requested while it stops, and does not wait for it', async () => {
    const stopping = await startServer();
    const cleo = await signUp(stopping, 'cleo');
    const home = await createGuild(cleo);
    const late = await RawConnection.open(stopping);
    // The request begins before the server stops, so that its connection does not count as idle.
    late.write('GET /graphql HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', '');
    const closed = new Promise<number>((resolve) => {
      const client = socketClient(stopping, { token: cleo.token, onClose: resolve });
      void subscribe(client, EVENTS, { id: home.textChannelId }).then(() => stopping.stop());
    });
    expect(await closed).toBe(1001);
    late.write(
      'Upgrade: websocket',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '',
      '',
    );
    expect((await late.answer()).status).toBe(503);
    const began = performance.now();
    await stopping.stop();
    expect(performance.now() - began).toBeLessThan(4_500);
  });
});
