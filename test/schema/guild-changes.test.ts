import type { Client } from 'graphql-ws';
import { afterEach, expect } from 'vitest';
import { topics } from '../../src/infra/streams/topics.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';

const CHANGED = `subscription ($id: ID!) { guildChanged(guildId: $id) {
  id name channels { name } roles { name } members { edges { node { user { id } } } }
} }`;

let server: TestServer;
let owner: Person;
let ada: Person;
let guild: MadeGuild;
const clients: Client[] = [];
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, ada] = await Promise.all([signUp(server, 'owner'), signUp(server, 'ada')]);
  guild = await createGuild(owner);
  await invite(owner, guild, ada);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

async function watch(person: Person) {
  const client = socketClient(server, { token: person.token });
  clients.push(client);
  return subscribe(client, CHANGED, { id: guild.id });
}

const change = (mutation: string, input: object) =>
  owner.graphql(
    `mutation ($input: ${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!) {
    ${mutation}(input: $input) { __typename }
  }`,
    { input },
  );

async function until(stream: Awaited<ReturnType<typeof watch>>, isSo: (shown: Loose) => boolean): Promise<void> {
  for (;;) {
    const { data, errors } = await stream.next();
    if (errors) throw new Error(JSON.stringify(errors));
    if (isSo((data as Loose).guildChanged)) return;
  }
}

test('guildChanged sends a server to its members when its settings, channels, roles or members change', async () => {
  const stream = await watch(ada);
  await change('updateGuild', { guildId: guild.id, name: 'Quay' });
  await until(stream, ({ name }) => name === 'Quay');
  await change('createChannel', { guildId: guild.id, name: 'news' });
  await until(stream, ({ channels }) => channels.some((channel: Loose) => channel.name === 'news'));
  await change('createRole', { guildId: guild.id, name: 'Helpers' });
  await until(stream, ({ roles }) => roles.some((role: Loose) => role.name === 'Helpers'));
  const bob = await signUp(server, 'bob');
  await invite(owner, guild, bob);
  await until(stream, ({ members }) => members.edges.some((edge: Loose) => edge.node.user.id === bob.id));
});

test('guildChanged sends a server when its invites, bans, installations or command permissions change', async () => {
  const client = socketClient(server, { token: owner.token });
  clients.push(client);
  const application = await createApplication(owner);
  await install(owner, application, guild);
  const stream = await subscribe(
    client,
    `subscription ($id: ID!, $app: ID!) { guildChanged(guildId: $id) {
      invites { uses } bans { edges { node { user { id } } } } installations { id } commandAccess(applicationId: $app) { permissions }
    } }`,
    { id: guild.id, app: application.id },
  );
  await owner.graphql('mutation ($i: ChannelIdInput!) { createInvite(input: $i, maxUses: 7) { code } }', {
    i: { channelId: guild.textChannelId },
  });
  await until(stream, ({ invites }) => invites.some(({ uses }: Loose) => uses === 0));
  const stranger = await signUp(server, 'banned');
  await change('banMember', { guildId: guild.id, userId: stranger.id });
  await until(stream, ({ bans }) => bans.edges.length === 1);
  const entry = { id: guild.id, type: 'ROLE', allow: true };
  await change('setCommandPermission', { guildId: guild.id, applicationId: application.id, ...entry });
  await until(stream, ({ commandAccess }) => commandAccess[0].permissions.length === 1);
  const elsewhere = await createApplication(owner, 'Commands alone');
  await install(owner, elsewhere, guild, { scopes: ['applications.commands'] });
  await until(stream, ({ installations }) => installations.length === 2);
});

test('guildChanged continues after an event that exceeds the limits', async () => {
  const client = socketClient(server, { token: owner.token });
  clients.push(client);
  const { writer } = server.app.db;
  const guildId = BigInt(guild.id);
  await writer.channel.createMany({
    data: Array.from({ length: 30 }, (_, n) => ({ id: server.app.nextId(), guildId, name: `c${n}`, position: n })),
  });
  // The rows have no events.
  server.app.bus.lose(topics.guild(guildId));
  const inOneAnother = 'channels { guild { channels { guild { channels { id } } } } }';
  const watching = `subscription ($id: ID!) { guildChanged(guildId: $id) { ${inOneAnother} } }`;
  const stream = await subscribe(client, watching, { id: guild.id });
  for (const name of ['First', 'Second']) {
    await change('updateGuild', { guildId: guild.id, name });
    expect(await stream.next()).toMatchObject({ data: null, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] });
  }
});

test('guildChanged sends nothing for messages', async () => {
  const stream = await watch(ada);
  for (const content of ['one', 'two', 'three'])
    await change('sendMessage', { channelId: guild.textChannelId, content });
  await change('updateGuild', { guildId: guild.id, name: 'Pier' });
  expect((await stream.next()).data).toMatchObject({ guildChanged: { name: 'Pier' } });
});

test('guildChanged ends for a member who leaves, and is refused to a stranger', async () => {
  const stream = await watch(ada);
  await ada.graphql('mutation ($input: GuildIdInput!) { leaveGuild(input: $input) { id } }', {
    input: { guildId: guild.id },
  });
  expect((await stream.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  await stream.ended;
  const refused = await watch(await signUp(server, 'stranger'));
  expect((await refused.next()).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
});
