import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { createAddressSignatures } from '../../../src/infra/crypto/address-signatures.js';
import { exportUrl } from '../../../src/wire/data-exports.js';
import { readZip } from '../../harness/archives.js';
import { putCommand } from '../../harness/command-rows.js';
import { it } from '../../harness/fixtures.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import { PIXEL } from '../../harness/images.js';
import { outboxOf } from '../../harness/mails.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
} from '../../harness/people.js';
import { makeBox } from '../../harness/self-hosted.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createTeam } from '../../harness/teams.js';

const EXPORT = `mutation ($password: String!) {
  createDataExport(input: { password: $password }) { url expiresAt messages files }
}`;

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

async function requestExport(person: Person) {
  const { createDataExport } = await person.graphql(EXPORT, { password: person.password });
  return createDataExport as { url: string; expiresAt: string; messages: number; files: number };
}

async function exported(person: Person): Promise<Map<string, Buffer>> {
  const { url } = await requestExport(person);
  return readZip(Buffer.from(await (await fetch(url)).arrayBuffer()));
}

const parsed = (files: Map<string, Buffer>, name: string): Loose => JSON.parse(String(files.get(name)));
const lines = (files: Map<string, Buffer>, name: string): Loose[] =>
  String(files.get(name))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface NewFile {
  by: Person;
  channelId: string;
  filename: string;
  content: Buffer | null;
}

/** Posts a message with a file. Without content, the file is missing in the store. */
async function postFile({ by, channelId, filename, content }: NewFile): Promise<string> {
  const { app } = server;
  const messageId = BigInt(await sendMessage(by, channelId, `with ${filename}`));
  const id = app.nextId();
  const size = content?.length ?? 3;
  const facts = { filename, contentType: 'application/octet-stream', size, accountId: BigInt(by.id) };
  await app.db.writer.attachment.create({ data: { id, messageId, ...facts } });
  if (content) {
    const blob = await app.blobs.stage(Readable.from([content]));
    await blob.keep(`attachments/${channelId}/${messageId}/${id}`);
  }
  return String(id);
}

async function openDirect(person: Person, other: Person): Promise<string> {
  const { app } = server;
  const id = app.nextId();
  const recipients = { create: [{ userId: BigInt(person.id) }, { userId: BigInt(other.id) }] };
  const directKey = [person.id, other.id].sort((a, b) => Number(BigInt(a) - BigInt(b))).join(':');
  await app.db.writer.channel.create({ data: { id, name: '', type: 1, directKey, recipients } });
  return String(id);
}

/** Rows for which the tests need no more than that they exist. */
async function putRows({ id }: Person, other: Person, applicationId: bigint, messageId: string) {
  const { nextId, db } = server.app;
  const userId = BigInt(id);
  const soon = new Date(Date.now() + 3_600_000);
  const grant = { applicationId, userId, scopes: ['identify'], endsAt: soon };
  const token = { hash: 'hash-of-access-token', kind: 'ACCESS', expiresAt: soon } as const;
  await db.writer.oAuthGrant.create({ data: { id: nextId(), ...grant, tokens: { create: token } } });
  const interaction = { applicationId, type: 2, tokenHash: 'hash-of-interaction-token', userId, channelId: 1n };
  const interactionId = nextId();
  await db.writer.interaction.create({
    data: { id: interactionId, ...interaction, name: 'dive', data: { secret: 'of another' }, owners: {} },
  });
  const given = { interactionId, filename: 'given.txt', contentType: 'text/plain', size: 5, accountId: userId };
  const fileId = nextId();
  await db.writer.interactionFile.create({ data: { id: fileId, ...given } });
  const blob = await server.app.blobs.stage(Readable.from([Buffer.from('given')]));
  await blob.keep(`interaction-files/${interactionId}/${fileId}`);
  await db.writer.reaction.create({
    data: { messageId: BigInt(messageId), emoji: '🦦', userId, createdAt: new Date() },
  });
  const reminder = { userId: id, channelId: '1', guildId: null, about: 'feed the otter', askedAt: Date.now() };
  await db.writer.job.create({
    data: { id: nextId(), kind: 'reminder', key: `reminder:${id}:0`, payload: reminder, dueAt: soon },
  });
  const entry = { guildId: 1n, action: 'MEMBER_KICK', changes: {} };
  await db.writer.auditEntry.createMany({
    data: [
      { id: nextId(), ...entry, actorId: userId, targetId: BigInt(other.id), reason: 'own reason' },
      { id: nextId(), ...entry, actorId: BigInt(other.id), targetId: userId, reason: 'foreign reason' },
      { id: nextId(), ...entry, actorId: BigInt(other.id), targetId: BigInt(other.id), reason: 'unrelated' },
    ],
  });
  return { interactionId: String(interactionId), fileId: String(fileId) };
}

describe('an archive', () => {
  it('contains everything of one person, and nothing that is secret or of others', async () => {
    const [ada, bob, olga] = [await signUp(server, 'ada'), await signUp(server, 'bob'), await signUp(server, 'olga')];
    await makeOperator(server, olga);
    const guild = await createGuild(ada, 'Harbour');
    await invite(ada, guild, bob);
    const first = await sendMessage(ada, guild.textChannelId, 'Ahoy');
    const foreign = await sendMessage(bob, guild.textChannelId, 'words of bob');
    const direct = await openDirect(ada, bob);
    await sendMessage(ada, direct, 'Psst');
    await sendMessage(bob, direct, 'whispers of bob');
    const file = { by: ada, channelId: guild.textChannelId, filename: 'otter.bin', content: PIXEL };
    const fileId = await postFile(file);
    const lostId = await postFile({ ...file, filename: 'lost.bin', content: null });
    await postFile({ ...file, by: bob, filename: 'of-bob.bin' });
    const application = await createApplication(ada, 'Otter bot');
    const applicationId = BigInt(application.id);
    await putCommand(server.app, applicationId, { name: 'dive', description: 'Dives' });
    await install(ada, application, guild);
    await makeWebhook(server, ada, application, guild.textChannelId);
    await createTeam(ada, 'Builders');
    const box = await makeBox(ada, 'Cellar');
    const { createPersonalToken } = await ada.graphql(
      'mutation { createPersonalToken(input: { name: "laptop" }) { token } }',
    );
    const given = await putRows(ada, bob, applicationId, foreign);
    await olga.graphql(OPERATOR_MUTATIONS.signOutPerson, { input: { personId: bob.id, reason: 'unrelated' } });

    const { url, messages, files: count } = await requestExport(ada);
    expect({ messages, count }).toEqual({ messages: 4, count: 3 });
    const response = await fetch(url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'cache-control': 'no-store',
      'content-disposition': expect.stringMatching(new RegExp(`^attachment; filename="causeway-${ada.id}-.*\\.zip"$`)),
    });
    const files = await readZip(Buffer.from(await response.arrayBuffer()));
    const inChannel = `files/${guild.textChannelId}`;
    expect([...files.keys()]).toEqual([
      'README.txt',
      'profile.json',
      'servers.json',
      'direct-channels.json',
      'applications.json',
      'teams.json',
      'grants.json',
      'installations.json',
      'interactions.jsonl',
      'reactions.jsonl',
      'audit-log.jsonl',
      'boxes.json',
      'reminders.json',
      `messages/${guild.textChannelId}.jsonl`,
      `${inChannel}/${fileId}-otter.bin`,
      `messages/${direct}.jsonl`,
      `files/interactions/${given.interactionId}/${given.fileId}-given.txt`,
      'missing-files.txt',
    ]);
    expect(parsed(files, 'profile.json')).toMatchObject({
      id: ada.id,
      username: 'ada',
      email: ada.email,
      sessions: [expect.objectContaining({ expiresAt: expect.any(String) })],
      personalTokens: [expect.objectContaining({ name: 'laptop' })],
    });
    const title = `Data that ${server.app.addresses.publicUrl} stored about the account ${ada.id} on `;
    expect(files.get('README.txt')?.toString().startsWith(title)).toBe(true);
    expect(parsed(files, 'servers.json')).toMatchObject([
      { id: guild.id, name: 'Harbour', isOwner: true, timedOutUntil: null, nickname: null },
    ]);
    expect(parsed(files, 'direct-channels.json')).toMatchObject([{ id: direct, with: [{ username: 'bob' }] }]);
    expect(parsed(files, 'applications.json')).toMatchObject([
      { application: application.id, name: 'Otter bot', commands: [{ name: 'dive' }], webhooks: [{}] },
    ]);
    expect(parsed(files, 'teams.json')).toMatchObject([{ name: 'Builders', isOwner: true, role: 'ADMIN' }]);
    expect(parsed(files, 'grants.json')).toMatchObject([{ application: { name: 'Otter bot' }, scopes: ['identify'] }]);
    expect(parsed(files, 'installations.json')).toMatchObject([{ serverId: guild.id, context: 'SERVER' }]);
    expect(lines(files, 'interactions.jsonl')).toMatchObject([{ name: 'dive', application: { id: application.id } }]);
    expect(lines(files, 'reactions.jsonl')).toMatchObject([{ messageId: foreign, emoji: '🦦' }]);
    const log = lines(files, 'audit-log.jsonl');
    expect(log.filter(({ action }) => action === 'MEMBER_KICK')).toMatchObject([
      { isActor: true, targetId: bob.id, reason: 'own reason' },
      { isActor: false, targetId: ada.id, reason: null },
    ]);
    expect(parsed(files, 'boxes.json')).toMatchObject([{ id: box.box.id, name: 'Cellar', servers: [] }]);
    expect(parsed(files, 'reminders.json')).toMatchObject([{ about: 'feed the otter' }]);
    expect(lines(files, `messages/${guild.textChannelId}.jsonl`)).toMatchObject([
      { id: first, content: 'Ahoy', channel: { id: guild.textChannelId }, server: { name: 'Harbour' } },
      { attachments: [{ id: fileId, path: `${inChannel}/${fileId}-otter.bin` }] },
      { attachments: [{ id: lostId }] },
    ]);
    expect(lines(files, `messages/${direct}.jsonl`)).toMatchObject([{ content: 'Psst', server: null }]);
    expect(files.get(`${inChannel}/${fileId}-otter.bin`)).toEqual(PIXEL);
    expect(String(files.get('missing-files.txt'))).toBe(`${inChannel}/${lostId}-lost.bin\n`);

    const all = [...files].map(([name, content]) => `${name}\n${content}`).join('\n');
    const { reader } = server.app.db;
    const stored = [
      ...(await reader.authAccount.findMany()).map(({ password }) => password),
      ...(await reader.authSession.findMany()).map(({ token }) => token),
      ...(await reader.personalToken.findMany()).map(({ hash }) => hash),
      ...(await reader.oAuthToken.findMany()).map(({ hash }) => hash),
      ...(await reader.interaction.findMany()).map(({ tokenHash }) => tokenHash),
      ...(await reader.webhook.findMany()).map(({ tokenHash }) => tokenHash),
      ...(await reader.box.findMany()).map(({ tokenHash }) => tokenHash),
      ...(await reader.application.findMany()).flatMap((row) => [
        row.privateKey,
        row.clientSecretHash,
        row.botTokenHash,
      ]),
      ...(await reader.instanceKey.findMany()).map(({ secret }) => secret),
    ].filter(Boolean);
    const shown = [ada.token, application.botToken, application.clientSecret, box.token, createPersonalToken.token];
    expect(stored.length).toBeGreaterThan(10);
    const ofOthers = [
      'words of bob',
      'whispers of bob',
      'of-bob',
      'of another',
      'foreign reason',
      'unrelated',
      bob.email,
    ];
    expect([...stored, ...shown, ...ofOthers].filter((text) => all.includes(text))).toEqual([]);
  });

  it('has names that file systems can store', async () => {
    const kai = await signUp(server, 'kai');
    const { textChannelId: channelId } = await createGuild(kai);
    await postFile({ by: kai, channelId, filename: `${'魚'.repeat(96)}.bin`, content: PIXEL });
    const paths = [...(await exported(kai)).keys()].filter((path) => path.startsWith('files/'));
    const names = paths.map((path) => path.split('/').at(-1) ?? '');
    expect(names).toEqual([expect.stringMatching(/^\d+-魚+\.bin$/)]);
    expect(Buffer.byteLength(names[0] ?? '')).toBeLessThanOrEqual(255);
  });

  it('has pages of every list', { tags: ['slow'] }, async () => {
    const [paul, mona] = [await signUp(server, 'paul'), await signUp(server, 'mona')];
    const guild = await createGuild(paul);
    const { db, nextId } = server.app;
    const [userId, channelId] = [BigInt(paul.id), BigInt(guild.textChannelId)];
    // More than two pages.
    const ids = Array.from({ length: 600 }, () => nextId());
    const empty = { embeds: [], components: [], mentionUserIds: [], mentionRoleIds: [] };
    await db.writer.message.createMany({
      data: ids.map((id, n) => ({ id, channelId, authorId: userId, content: `message ${n}`, ...empty })),
    });
    const emojis = ['🦦', '🐟'];
    await db.writer.reaction.createMany({
      data: ids.flatMap((messageId) => emojis.map((emoji) => ({ messageId, emoji, userId, createdAt: new Date() }))),
    });
    const kick = { guildId: BigInt(guild.id), action: 'MEMBER_KICK', changes: {}, targetId: BigInt(mona.id) };
    await db.writer.auditEntry.createMany({
      data: ids.map((_id, n) => ({ id: nextId(), ...kick, actorId: n % 2 === 0 ? userId : BigInt(mona.id) })),
    });
    const files = await exported(paul);
    const contents = lines(files, `messages/${channelId}.jsonl`).map(({ content }) => content);
    expect(contents).toEqual(ids.map((_id, n) => `message ${n}`));
    expect(new Set(lines(files, 'reactions.jsonl').map(({ messageId, emoji }) => messageId + emoji)).size).toBe(1_200);
    expect(lines(files, 'audit-log.jsonl').filter(({ action }) => action === 'MEMBER_KICK')).toHaveLength(300);
  });
});

describe('a request', () => {
  it('needs a session and the password, and mails the person', async () => {
    const carl = await signUp(server, 'carl');
    const wrong = await carl.ask(EXPORT, { password: 'wrong' });
    expect(codeOf(wrong)).toBe('BAD_USER_INPUT');
    expect(wrong.errors[0]?.extensions).toMatchObject({ fields: { password: expect.anything() } });
    const { createPersonalToken } = await carl.graphql(
      'mutation { createPersonalToken(input: { name: "tool" }) { token } }',
    );
    const byToken = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${createPersonalToken.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: EXPORT, variables: { password: carl.password } }),
    });
    expect(await byToken.text()).toContain('FORBIDDEN');
    const { expiresAt } = await requestExport(carl);
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    expect([minutes > 59, minutes <= 60]).toEqual([true, true]);
    expect((await outboxOf(server, carl.email)).flatMap(({ headers }) => headers.subject)).toContain(
      'Your data is being downloaded',
    );
  });

  // The server starts with rate limits, and each attempt hashes a password.
  it('is refused after five attempts in an hour, also wrong ones', { tags: ['slow'] }, async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const dora = await signUp(limited, 'dora');
      for (let n = 0; n < 5; n += 1) {
        expect(codeOf(await dora.ask(EXPORT, { password: 'wrong' }))).toBe('BAD_USER_INPUT');
      }
      expect(codeOf(await dora.ask(EXPORT, { password: dora.password }))).toBe('RATE_LIMITED');
    } finally {
      await limited.stop();
    }
  });

  it('of an operator has an entry in the log, and is not found by anyone else', async () => {
    const [oto, mod, eve] = [await signUp(server, 'oto'), await signUp(server, 'mod'), await signUp(server, 'eve')];
    await makeOperator(server, oto);
    await makeOperator(server, mod, 'MODERATOR');
    const ask = (by: Person) =>
      by.ask(OPERATOR_MUTATIONS.exportPerson, { input: { personId: eve.id, reason: 'they asked for it' } });
    expect([codeOf(await ask(mod)), codeOf(await ask(eve))]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    const answer = await ask(oto);
    const files = await readZip(Buffer.from(await (await fetch(answer.data.operatorExportPerson.url)).arrayBuffer()));
    expect(parsed(files, 'profile.json')).toMatchObject({ username: 'eve' });
    expect((await instanceLog(oto))[0]).toBe('PERSON_EXPORT | oto | eve | they asked for it');
    expect(lines(files, 'audit-log.jsonl')).toMatchObject([{ action: 'PERSON_EXPORT', isActor: false, reason: null }]);
  });
});

describe('a download', () => {
  const statusOf = async (url: string) => {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status;
  };

  it('is not found with another signature, for another person, or after an hour', async () => {
    const [fay, gus] = [await signUp(server, 'fay'), await signUp(server, 'gus')];
    const { url } = await requestExport(fay);
    const { addresses, keys, clock, db } = server.app;
    const where = { user: { userId: BigInt(fay.id) } };
    await db.writer.authAccount.updateMany({ where, data: { updatedAt: new Date(0) } });
    const urlAt = (now: number) => {
      const then = { ...clock, now: () => now };
      const signatures = createAddressSignatures(keys.addresses, then);
      const wanted = { personId: BigInt(fay.id), exportedFor: 'self' } as const;
      return exportUrl(wanted, { publicUrl: addresses.publicUrl, signatures }, then).url;
    };
    expect(await statusOf(urlAt(clock.now() - 3_590_000))).toBe(200);
    const refused = [
      url.replace(fay.id, gus.id),
      url.replace('/self', '/machine'),
      url.replace('/self', '/other'),
      url.replace(/hm=.*/, 'hm=0'),
      url.split('?')[0] ?? '',
      urlAt(clock.now() - 3_601_000),
    ];
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 404));
  });

  it('is not found after a suspension, unless for an operator, nor after a deletion', async () => {
    const [hal, ina] = [await signUp(server, 'hal'), await signUp(server, 'ina')];
    await makeOperator(server, ina);
    const { url } = await requestExport(hal);
    const input = { personId: hal.id, reason: 'spam' };
    const answer = await ina.graphql(OPERATOR_MUTATIONS.exportPerson, { input });
    const forOperator: string = answer.operatorExportPerson.url;
    await ina.graphql(OPERATOR_MUTATIONS.suspendPerson, { input });
    expect([await statusOf(url), await statusOf(forOperator)]).toEqual([404, 200]);
    await server.app.db.writer.user.update({ where: { id: BigInt(hal.id) }, data: { deletedAt: new Date() } });
    expect(await statusOf(forOperator)).toBe(404);
  });

  it('is not found after a change of the password, nor for an operator who lost the role', async () => {
    const [leo, mia] = [await signUp(server, 'leo'), await signUp(server, 'mia')];
    await makeOperator(server, mia);
    const { url } = await requestExport(leo);
    const input = { personId: leo.id, reason: 'they asked for it' };
    const answer = await mia.graphql(OPERATOR_MUTATIONS.exportPerson, { input });
    const forOperator: string = answer.operatorExportPerson.url;
    const { db, clock } = server.app;
    expect(await statusOf(url)).toBe(200);
    await db.writer.authAccount.updateMany({
      where: { user: { userId: BigInt(leo.id) } },
      data: { password: 'new', updatedAt: new Date(clock.now() + 1_000) },
    });
    expect(await statusOf(url)).toBe(404);
    await expect.poll(() => statusOf(forOperator)).toBe(200);
    await makeOperator(server, mia, 'MODERATOR');
    expect(await statusOf(forOperator)).toBe(404);
  });

  it('runs once at a time for a person, and ends when the client goes away', async () => {
    const jon = await signUp(server, 'jon');
    const guild = await createGuild(jon);
    // More than what sockets buffer.
    const content = Buffer.alloc(40 * 1024 * 1024, 'otter');
    await postFile({ by: jon, channelId: guild.textChannelId, filename: 'large.bin', content });
    const { url } = await requestExport(jon);
    const gone = new AbortController();
    const first = await fetch(url, { signal: gone.signal });
    const second = await fetch(url);
    expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '30']);
    expect(await second.text()).toBe(
      'This data is being downloaded already. Wait until that download ends, then try again.\n',
    );
    gone.abort();
    await expect.poll(() => statusOf(url)).toBe(200);
  });

  it('fails visibly if something cannot be read', async () => {
    const kim = await signUp(server, 'kim');
    await server.app.db.writer.job.create({
      data: {
        id: server.app.nextId(),
        kind: 'reminder',
        key: `reminder:${kim.id}:0`,
        payload: {},
        dueAt: new Date(9e12),
      },
    });
    const { url } = await requestExport(kim);
    const response = await fetch(url);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await expect.poll(() => statusOf(url)).toBe(200);
  });
});
