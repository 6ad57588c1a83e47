import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findBuiltIn, isOfClient, listBuiltIns } from '../../../src/domain/built-in-commands/table.js';
import type { CallContext } from '../../../src/domain/call.js';
import { RESERVED_NAMES } from '../../../src/domain/commands/reserved-names.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { PLATFORM_ID } from '../../../src/domain/platform/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { ManualClock } from '../../harness/clock.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, denyInChannel, putSlowMode } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createGuild, type TestGuild, toSend } from '../../harness/world.js';
import { runBuiltIn } from './scene.js';

const clock = new ManualClock();
let server: TestServer;
let guild: TestGuild;
let ada: User;
let call: CallContext;
beforeAll(async () => {
  server = await startServer({ clock });
});
beforeEach(async () => {
  guild = await createGuild(server.app);
  ada = await createPerson(server.app);
  await addMember(server.app, guild.id, ada);
  call = callOf(server.app, ada);
});
afterAll(() => server.stop());

async function run(name: string, options: Record<string, unknown> = {}, as = call) {
  const interaction = await runBuiltIn(as, guild.channel.id, name, options);
  const id = interaction.originalMessageId ?? 0n;
  const message = await server.app.db.reader.message.findFirstOrThrow({
    where: { id },
    include: { attachments: true },
  });
  return { interaction, message };
}

const deny = (permission: bigint) =>
  denyInChannel(server, { id: String(guild.id) }, String(guild.channel.id), permission);

describe('the table of built-in commands', () => {
  const names = Object.values(RESERVED_NAMES).flat();

  test('has exactly the reserved names', () => {
    expect(listBuiltIns().map(({ name }) => name)).toEqual(names);
  });

  test('states for each whether the client runs it', () => {
    const ofClients: readonly string[] = RESERVED_NAMES.client;
    for (const name of names) {
      expect({ name, client: isOfClient(name), served: findBuiltIn(name) !== undefined }).toEqual({
        name,
        client: ofClients.includes(name),
        served: !ofClients.includes(name),
      });
    }
  });
});

describe('a built-in command', () => {
  test('is answered by the platform like a command of an application', async () => {
    const { interaction, message } = await run('flip');
    expect(message).toMatchObject({ authorId: PLATFORM_ID, applicationId: PLATFORM_ID, type: 20, visibleToId: null });
    expect(interaction).toMatchObject({ state: 'ANSWERED', name: 'flip', userId: ada.id, guildId: guild.id });
    expect(message.interaction).toMatchObject({ id: String(interaction.id), name: 'flip', userId: String(ada.id) });
    expect(interaction.owners).toEqual({ guildId: String(guild.id) });
    expect(message.content).toMatch(/^🪙 (Heads|Tails)$/);
  });

  test('is found in any letter case', async () => {
    expect((await run(' FLIP ')).interaction.name).toBe('flip');
  });

  test('of the client is refused by the server', async () => {
    expect(await outcome(run('shrug'))).toBe('INVALID_INPUT');
  });

  test('is unknown by any other name', async () => {
    expect(await outcome(run('banish'))).toBe('UNKNOWN_COMMAND');
  });

  test.each([
    ['8ball', {}],
    ['8ball', { question: 7 }],
    ['8ball', { question: 'x'.repeat(1_001) }],
    ['flip', { coin: 'gold' }],
    ['choice', { options: 'tea' }],
    ['choice', { options: ' , ,tea, ' }],
    ['ascii', { text: '日本' }],
    ['love', { user: '1' }],
    ['remindme', { when: 'soon', about: 'tea' }],
    ['remindme', { when: '366d', about: 'tea' }],
    ['remindme', { when: '10s', about: 'tea' }],
    ['welcome', { channel: '1' }],
  ])('refuses invalid options: %s %j', async (name, options) => {
    expect(await outcome(run(name, options))).toBe('INVALID_INPUT');
  });

  test('needs the permission to use application commands', async () => {
    await deny(Permission.UseApplicationCommands);
    expect(await outcome(run('userinfo'))).toBe('MISSING_PERMISSIONS');
  });

  test('with a public response needs the permission to send messages', async () => {
    await deny(Permission.SendMessages);
    expect(await outcome(run('flip'))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(run('remindme', { when: '10m', about: 'tea' }))).toBe('MISSING_PERMISSIONS');
    expect((await run('userinfo')).message.visibleToId).toBe(ada.id);
  });

  test('does not notify the users it mentions', async () => {
    const { message } = await run('choice', { options: `<@${guild.owner.id}>,<@${guild.owner.id}>` });
    expect(message.content).toContain(`<@${guild.owner.id}>`);
    expect(message.mentionUserIds).toEqual([]);
    expect((await run('8ball', { question: '@everyone' })).message.mentionEveryone).toBe(false);
  });
});

describe('in a channel with slow mode', () => {
  const SECONDS = 30;
  beforeEach(() => putSlowMode(server.app, guild.channel.id, SECONDS));
  const interactions = () => server.app.db.reader.interaction.count({ where: { channelId: guild.channel.id } });
  const say = () => sendMessage(call, { channelId: guild.channel.id, body: toSend({ content: 'hello' }) });

  test.each([
    ['8ball', { question: 'Will it rain?' }],
    ['flip', {}],
    ['choice', { options: 'tea, coffee' }],
    ['ascii', { text: 'Hi' }],
    ['qrcode', { text: 'Hi' }],
  ])('%s counts as a message of the caller, and is refused while they wait', async (name, options) => {
    await run(name, options);
    expect(await outcome(say())).toBe('SLOW_MODE');
    await expect(run(name, options)).rejects.toMatchObject({ code: 'SLOW_MODE', retryAfterMs: SECONDS * 1_000 });
    clock.advance(SECONDS * 1_000);
    await say();
    expect(await outcome(run(name, options))).toBe('SLOW_MODE');
    expect(await interactions()).toBe(1);
    clock.advance(SECONDS * 1_000);
    await run(name, options);
  });

  test('one of several commands at once is answered', async () => {
    const ended = await Promise.all([outcome(run('flip')), outcome(run('flip')), outcome(run('flip'))]);
    expect(ended.toSorted()).toEqual(['SLOW_MODE', 'SLOW_MODE', 'ok']);
    expect(await server.app.db.reader.message.count({ where: { channelId: guild.channel.id } })).toBe(1);
  });

  test('a command with invalid options starts no delay', async () => {
    expect(await outcome(run('choice', { options: 'tea' }))).toBe('INVALID_INPUT');
    expect(await outcome(run('flip'))).toBe('ok');
  });

  test('a command with a private response neither waits nor starts a delay', async () => {
    for (const name of ['userinfo', 'serverinfo', 'userinfo']) expect(await outcome(run(name))).toBe('ok');
    expect(await outcome(run('flip'))).toBe('ok');
    expect(await outcome(run('userinfo'))).toBe('ok');
  });

  test('a member who can bypass slow mode never waits', async () => {
    const owner = callOf(server.app, guild.owner);
    expect([await outcome(run('flip', {}, owner)), await outcome(run('flip', {}, owner))]).toEqual(['ok', 'ok']);
  });

  test('a reminder counts when it is requested', async () => {
    const reminder = { when: '10m', about: 'tea' };
    await run('remindme', reminder);
    expect(await outcome(run('remindme', reminder))).toBe('SLOW_MODE');
    expect(await outcome(say())).toBe('SLOW_MODE');
    const jobs = await server.app.db.reader.job.findMany({ where: { kind: 'reminder' } });
    expect(jobs.filter(({ payload }) => JSON.stringify(payload).includes(String(guild.channel.id)))).toHaveLength(1);
  });
});

describe('reminders', () => {
  const reminder = { when: '10m', about: 'tea' };

  test('are limited to 25 pending ones per user, even if several are requested at once', async () => {
    const before = await server.app.db.reader.job.count({ where: { kind: 'reminder' } });
    for (let asked = 0; asked < 24; asked += 1) await run('remindme', reminder);
    const outcomes = await Promise.all([1, 2, 3].map(() => outcome(run('remindme', reminder))));
    expect(outcomes.toSorted()).toEqual(['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED', 'ok']);
    expect(await server.app.db.reader.job.count({ where: { kind: 'reminder' } })).toBe(before + 25);
    expect(await outcome(run('remindme', reminder, callOf(server.app, guild.owner)))).toBe('ok');
  });
});

describe('the commands for fun', () => {
  test('8ball answers a question', async () => {
    expect((await run('8ball', { question: 'Will it\nrain?' })).message.content).toMatch(/^> Will it rain\?\n🎱 .+/);
  });

  test('choice picks one of the options', async () => {
    expect((await run('choice', { options: 'tea, coffee' })).message.content).toMatch(
      /^I choose \*\*(tea|coffee)\*\*\.$/,
    );
  });

  test('ascii prints large letters', async () => {
    const { content } = (await run('ascii', { text: 'Hi' })).message;
    expect(content.split('\n').slice(1, -1)).toEqual([
      '  _   _ _ ',
      ' | | | (_)',
      ' | |_| | |',
      ' |  _  | |',
      ' |_| |_|_|',
      '          ',
    ]);
  });

  test('qrcode returns an image', async () => {
    const { attachments } = (await run('qrcode', { text: 'https://example.org' })).message;
    expect(attachments).toMatchObject([{ filename: 'qrcode.png', contentType: 'image/png', width: 320, height: 320 }]);
  });

  test('love returns the same result for two users, regardless of who comes first', async () => {
    const owner = String(guild.owner.id);
    const percent = async (options: object) =>
      /\*\*(\d+) %/.exec((await run('love', { ...options })).message.content)?.[1];
    expect(await percent({ user: owner })).toBe(await percent({ user: String(ada.id), with: owner }));
  });
});

describe('the commands for information', () => {
  test("serverinfo shows the caller's view to the caller only", async () => {
    const { message } = await run('serverinfo');
    expect(message.visibleToId).toBe(ada.id);
    const [embed] = message.embeds as { title: string; fields: { name: string; value: string }[] }[];
    const facts = Object.fromEntries(embed?.fields.map(({ name, value }) => [name, value]) ?? []);
    expect(facts).toMatchObject({
      Owner: `<@${guild.owner.id}>`,
      Members: '2',
      'Channels you can view': '2',
      Roles: '1',
    });
    await deny(Permission.ViewChannel);
    expect(await outcome(run('serverinfo'))).toBe('UNKNOWN_CHANNEL');
  });

  test('userinfo shows the caller unless a user is given', async () => {
    const titleOf = async (options: object) =>
      ((await run('userinfo', { ...options })).message.embeds as { title: string }[])[0]?.title;
    expect(await titleOf({})).toBe(ada.username);
    expect(await titleOf({ user: String(guild.owner.id) })).toBe(guild.owner.username);
  });

  test('avatar reports if a user has none', async () => {
    expect((await run('avatar')).message.content).toBe(`<@${ada.id}> has no avatar.`);
  });
});
