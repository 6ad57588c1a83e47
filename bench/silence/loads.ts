import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Crowd } from './crowd.js';

/** A cheap request whose complete answer would be expensive. */
export interface Load {
  name: string;
  /** Sends it. Settles when it was answered, refused or given up. */
  run(origin: string, crowd: Crowd): Promise<unknown>;
}

export const loads: Load[] = [
  {
    name: 'deeply nested channels and guilds in GraphQL',
    run: (origin, crowd) =>
      graphql(origin, crowd, `{guild(id:"${crowd.wideGuildId}"){channels{guild{channels{guild{channels{id}}}}}}}`),
  },
  {
    name: '100 messages of 500 channels, 5 at once',
    run: (origin, crowd) => {
      const message = 'id content author{id username avatarUrl} channel{id name} referencedMessage{id}';
      const query = `{guild(id:"${crowd.wideGuildId}"){channels{messages(last:100){edges{node{${message}}}}}}}`;
      return together(5, () => graphql(origin, crowd, query));
    },
  },
  { name: 'one file of 5 MiB, used 200 times', run: uploadNamedOften },
  { name: '8 images of 16,777,216 × 1', run: uploadLongPictures },
  { name: '100 member searches for "%"', run: searchMembers },
  { name: '30 forms of 24 MiB without a credential', run: holdForms },
  {
    name: '40 introspections of 100 aliases, without a credential',
    run: (origin) => {
      const types =
        '__schema{types{name fields{name args{name type{name kind ofType{name}}} type{name kind ofType{name}}}}}';
      const query = `{${Array.from({ length: 100 }, (_, index) => `a${index}:${types}`).join(' ')}}`;
      return together(40, () => ask(origin, {}, { query }));
    },
  },
  {
    name: '20 documents with 1,200 uses of a field',
    run: (origin) => {
      const document = (n: number) => ({ query: `{${'me{id}'.repeat(1_200)}} #${n}` });
      return Promise.allSettled(Array.from({ length: 20 }, (_, n) => ask(origin, {}, document(n))));
    },
  },
  { name: 'IDENTIFY of 2 shards of 2,500 guilds', run: identifyShards },
  {
    name: 'audit logs of 27 applications, 39 aliases',
    run: (origin, crowd) => {
      const logs = 'applications{auditLog(first:1){edges{node{id}}}}';
      return graphql(origin, crowd, `{${Array.from({ length: 39 }, (_, index) => `a${index}:${logs}`).join(' ')}}`);
    },
  },
  { name: '300 subscriptions to a team, one change', run: changeWatchedTeam },
];

function together(count: number, ask: () => Promise<unknown>): Promise<unknown> {
  return Promise.allSettled(Array.from({ length: count }, ask));
}

async function ask(origin: string, headers: Record<string, string>, body: object): Promise<void> {
  const answer = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
}

function graphql(origin: string, { personToken }: Crowd, query: string): Promise<void> {
  return ask(origin, { authorization: `Bearer ${personToken}` }, { query });
}

async function uploadNamedOften(origin: string, { personToken }: Crowd): Promise<void> {
  const names = Array.from({ length: 200 }, () => '$f').join(',');
  const query = `mutation($f:File!){sendMessage(input:{channelId:"1",content:"x",files:[${names}]}){message{id}}}`;
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { f: null } }));
  form.append('map', JSON.stringify({ 0: ['variables.f'] }));
  form.append('0', new Blob([new Uint8Array(5 * 1024 * 1024)], { type: 'text/plain' }), 'file.txt');
  const answer = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personToken}` },
    body: form,
  });
  await answer.arrayBuffer();
}

async function uploadLongPictures(origin: string, { botToken }: Crowd): Promise<void> {
  const icon = `data:image/png;base64,${png(16_777_216, 1).toString('base64')}`;
  await together(8, async () => {
    const answer = await fetch(`${origin}/api/v10/applications/@me`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bot ${botToken}` },
      body: JSON.stringify({ icon }),
    });
    await answer.arrayBuffer();
  });
}

/** A transparent RGBA image (PNG specification, third edition, sections 5 and 11). */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(height * (1 + 4 * width)), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

async function searchMembers(origin: string, { botToken, largeGuildId }: Crowd): Promise<void> {
  const socket = await openGateway(origin);
  const isOver = once(socket, 'close').catch(() => {});
  socket.send(identify(botToken, GatewayIntentBits.Guilds));
  const chunks = countEvents(socket, 'GUILD_MEMBERS_CHUNK', 100);
  await countEvents(socket, 'GUILD_CREATE', 2);
  const search = JSON.stringify({ op: 8, d: { guild_id: largeGuildId, query: '%', limit: 100 } });
  for (let index = 0; index < 100; index += 1) socket.send(search);
  await Promise.race([chunks, isOver]);
  socket.terminate();
}

async function identifyShards(origin: string, { busyBotToken }: Crowd): Promise<void> {
  await Promise.all(
    [0, 1].map(async (shard) => {
      const socket = await openGateway(origin);
      socket.send(identify(busyBotToken, GatewayIntentBits.Guilds, [shard, 2]));
      // The shard depends on the time in a guild's id, so the halves are not equal.
      await Promise.race([countEvents(socket, 'GUILD_CREATE', 2_400), setTimeout(20_000)]);
      socket.terminate();
    }),
  );
}

async function openGateway(origin: string): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/gateway?v=10&encoding=json`);
  await once(socket, 'message');
  return socket;
}

function identify(token: string, intents: number, shard?: number[]): string {
  const properties = { os: 'linux', browser: 'bench', device: 'bench' };
  return JSON.stringify({ op: 2, d: { token, intents, properties, shard } });
}

function countEvents(socket: WebSocket, type: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    socket.on('message', (data) => {
      if (!String(data).includes(`"t":"${type}"`)) return;
      seen += 1;
      if (seen === count) resolve();
    });
  });
}

async function holdForms(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const head = [
    'POST /graphql HTTP/1.1',
    'host: bench',
    'content-type: multipart/form-data; boundary=q',
    'content-length: 26214400',
  ];
  const mebibyte = Buffer.alloc(1024 * 1024);
  const hold = async () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume().write(`${head.join('\r\n')}\r\n\r\n`);
    for (let sent = 0; sent < 24 && socket.writable; sent += 1) {
      if (!socket.write(mebibyte)) await Promise.race([once(socket, 'drain'), isOver]).catch(() => {});
    }
    await Promise.race([isOver, setTimeout(3_000)]);
    socket.destroy();
  };
  await together(30, hold);
}

async function changeWatchedTeam(origin: string, crowd: Crowd): Promise<void> {
  const log = 'auditLog(first:1){edges{node{id application{id}}}}';
  const query = `subscription{teamChanged(teamId:"${crowd.teamId}"){name a:${log} b:${log} applications{${log}}}}`;
  const clients = Array.from({ length: 3 }, () =>
    createClient({
      url: `${origin.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${crowd.personToken}` },
      retryAttempts: 0,
    }),
  );
  const answers = clients.flatMap((client) =>
    Array.from({ length: 100 }, async () => {
      const results = client.iterate({ query });
      await results.next();
    }),
  );
  const answered = Promise.allSettled(answers);
  await setTimeout(2_000);
  await graphql(origin, crowd, `mutation{updateTeam(input:{teamId:"${crowd.teamId}",name:"Badgers"}){team{id}}}`);
  await Promise.race([answered, setTimeout(15_000)]);
  for (const client of clients) void client.dispose();
}
