import { ApplicationCommandOptionType as Option, ApplicationCommandType as Type } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import type { CommandOption } from '../../../../src/domain/commands/record.js';
import { accessGuildChannel } from '../../../../src/domain/guilds/index.js';
import { installApplication } from '../../../../src/domain/installations/index.js';
import { autocompleteRequest, commandRequest, InvokedOptions } from '../../../../src/domain/interactions/index.js';
import { loadInteractionContext } from '../../../../src/domain/interactions/requests/interaction-context.js';
import { WITH_USER_AND_ROLES } from '../../../../src/domain/members/record.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { ALL_PERMISSIONS, Permission } from '../../../../src/domain/permissions.js';
import { it } from '../../../harness/fixtures.js';
import { outcome } from '../../../harness/outcome.js';
import { countQueries } from '../../../harness/queries.js';
import { createDirectChannel, createPerson, denyInChannel, permitEveryone } from '../../../harness/rows.js';
import type { TestServer } from '../../../harness/server.js';
import { createBot, createChannel, createGuild, say, type TestGuild } from '../../../harness/world.js';
import { complete, faultsOf, openScene, run, type Scene, storeCommand } from '../scene.js';

let server: TestServer;
let scene: Scene;
let other: TestGuild;
let voice: bigint;
let hidden: bigint;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  other = await createGuild(server.app);
  const channel = await createChannel(server.app, scene.guild.id, 'hidden');
  hidden = channel.id;
  const found = await server.app.db.reader.channel.findFirstOrThrow({ where: { guildId: scene.guild.id, type: 2 } });
  voice = found.id;
});

const one = (type: Option, facts: Partial<CommandOption> = {}): CommandOption[] => [
  { type, name: 'it', description: 'it', ...facts },
];

const withValue = async (options: CommandOption[], value: unknown) =>
  run(scene, await storeCommand(scene, options), { options: [{ name: 'it', value }] });

describe('a slash command that is run', () => {
  it('has the user, the application, the options and the place', async () => {
    const commandId = await storeCommand(scene, one(Option.String), { name: 'echo' });
    const request = await run(scene, commandId, { options: [{ name: 'it', value: 'hello' }] });
    expect(request).toMatchObject({
      type: 2,
      name: 'echo',
      commandId,
      application: { id: scene.bot.id },
      user: { id: scene.guild.owner.id },
      member: { userId: scene.guild.owner.id },
      place: { guildId: scene.guild.id, channelId: scene.guild.channel.id },
      channel: { channel: { id: scene.guild.channel.id }, permissions: ALL_PERMISSIONS },
      data: { id: String(commandId), name: 'echo', type: 1, options: [{ name: 'it', type: 3, value: 'hello' }] },
      resolved: { users: [], members: [], roles: [], channels: [], messages: [] },
      owners: { guildId: scene.guild.id },
      message: null,
      parentId: null,
      locale: 'en-US',
      guildLocale: 'en-US',
      context: 0,
    });
  });

  it('omits options if it has none, and has the guild id if it belongs to one', async () => {
    const [everywhere, here] = [await storeCommand(scene), await storeCommand(scene, [], { scopeId: scene.guild.id })];
    expect((await run(scene, everywhere)).data).not.toHaveProperty('options');
    expect((await run(scene, everywhere)).data).not.toHaveProperty('guild_id');
    expect((await run(scene, here)).data).toMatchObject({ guild_id: String(scene.guild.id) });
  });

  it('has the name of its subcommand', async () => {
    const commandId = await storeCommand(scene, [{ type: 1, name: 'stop', description: 's' }], { name: 'music' });
    expect((await run(scene, commandId, { options: [{ name: 'stop' }] })).name).toBe('music stop');
  });

  it('is refused for invalid options before any look-up', async () => {
    const attempt = withValue([...one(Option.User), { type: 3, name: 'more', description: 'm', required: true }], 'x');
    expect(await faultsOf(attempt)).toEqual(['options BASE_TYPE_REQUIRED', 'options.0.value NUMBER_TYPE_COERCE']);
  });

  it('has no target', async () => {
    const attempt = run(scene, await storeCommand(scene), { targetId: scene.users.ada.id });
    expect(await faultsOf(attempt)).toEqual(['targetId BASE_TYPE_INVALID']);
  });

  it('is unknown in another guild, and refused to anonymous callers', async () => {
    const commandId = await storeCommand(scene, [], { scopeId: other.id });
    expect(await outcome(run(scene, commandId))).toBe('UNKNOWN_COMMAND');
    expect(await outcome(run(scene, commandId, {}, { ...scene.owner, actor: { kind: 'anonymous' } }))).toBe(
      'UNAUTHENTICATED',
    );
  });
});

describe('I-29: a command in the version that the caller was shown', () => {
  const shown = async (type?: Type) => ({
    commandId: await storeCommand(scene, [], { version: 7n, ...(type && { type }) }),
  });
  const ask = async (version: bigint | undefined, type?: Type) => {
    const { commandId } = await shown(type);
    const asked = { channelId: scene.guild.channel.id, commandId, version, options: [] };
    return faultsOf(commandRequest(scene.owner, { ...asked, ...(type && { targetId: scene.users.ada.id }) }));
  };

  it('is run if the stored version is the same', async () => {
    expect([await ask(7n), await ask(undefined), await ask(7n, Type.User)]).toEqual([[], [], []]);
  });

  it('is refused if the stored version differs', async () => {
    const outdated = ['version INTERACTION_APPLICATION_COMMAND_INVALID_VERSION'];
    expect([await ask(6n), await ask(8n), await ask(6n, Type.User)]).toEqual([outdated, outdated, outdated]);
  });

  it('is autocompleted only if the stored version is the same', async () => {
    const { commandId } = await shown();
    const asked = { channelId: scene.guild.channel.id, commandId, options: [] };
    expect(await faultsOf(autocompleteRequest(scene.owner, { ...asked, version: 6n }))).toEqual([
      'version INTERACTION_APPLICATION_COMMAND_INVALID_VERSION',
    ]);
  });

  it('is unknown if the caller cannot run it, regardless of the version', async () => {
    const commandId = await storeCommand(scene, [], { scopeId: other.id });
    const asked = { channelId: scene.guild.channel.id, commandId, version: 6n, options: [] };
    expect(await outcome(commandRequest(scene.owner, asked))).toBe('UNKNOWN_COMMAND');
  });
});

describe('the permissions of the application', () => {
  const appPermissions = async () => (await run(scene, await storeCommand(scene))).appPermissions;

  it('are those of its bot in the channel', async () => {
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel | Permission.SendMessages);
    expect(await appPermissions()).toBe(Permission.ViewChannel | Permission.SendMessages);
  });

  it('include the roles of its bot', async () => {
    const { app } = server;
    const key = { guildId: scene.guild.id, userId: scene.bot.id };
    const role = await app.db.writer.role.create({
      data: { id: app.nextId(), guildId: key.guildId, name: 'bot', permissions: Permission.ManageMessages },
    });
    await app.db.writer.memberRole.create({ data: { ...key, roleId: role.id } });
    app.publish({ type: 'GUILD_ROLE_CREATE', role });
    const where = { guildId_userId: key };
    const member = await app.db.reader.member.findUniqueOrThrow({ where, include: WITH_USER_AND_ROLES });
    app.publish({ type: 'GUILD_MEMBER_UPDATE', member });
    await permitEveryone(app, key.guildId, Permission.ViewChannel);
    expect(await appPermissions()).toBe(Permission.ViewChannel | Permission.ManageMessages);
    await app.db.writer.role.delete({ where: { id: role.id } });
    app.publish({ type: 'GUILD_ROLE_DELETE', guildId: key.guildId, roleId: role.id });
  });

  it('are those of `@everyone` without a bot in the guild', async () => {
    const bot = await createBot(server.app);
    const install = { applicationId: bot.id, guildId: scene.guild.id, permissions: 0n };
    await installApplication(scene.owner, { ...install, scopes: ['applications.commands'] });
    const commandId = await storeCommand({ ...scene, bot });
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel | Permission.AddReactions);
    expect((await run(scene, commandId)).appPermissions).toBe(Permission.ViewChannel | Permission.AddReactions);
  });
});

describe('a user', () => {
  it('that is a member is resolved with the membership and the permissions in the channel', async () => {
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel);
    const { resolved } = await withValue(one(Option.User), String(scene.users.ada.id));
    expect(resolved.users).toMatchObject([{ id: scene.users.ada.id }]);
    expect(resolved.members).toMatchObject([
      {
        member: { userId: scene.users.ada.id, roles: [{ roleId: scene.role.id }] },
        permissions: Permission.ViewChannel,
      },
    ]);
  });

  it('that is not a member is resolved without a membership', async () => {
    const { resolved } = await withValue(one(Option.User), String(scene.users.outsider.id));
    expect(resolved).toMatchObject({ users: [{ id: scene.users.outsider.id }], members: [] });
  });

  it('may be the caller', async () => {
    const { resolved } = await withValue(one(Option.User), String(scene.guild.owner.id));
    expect(resolved).toMatchObject({
      users: [{ id: scene.guild.owner.id }],
      members: [{ permissions: ALL_PERMISSIONS }],
    });
  });

  it.each<[string, () => bigint | string | Promise<bigint>]>([
    ['is one there is', () => 5n],
    ['is no role', () => scene.role.id],
    ['has an id of 64 bits', () => '9'.repeat(40)],
    [
      'is not deleted',
      async () => {
        const { id } = await createPerson(server.app);
        await server.app.db.writer.user.update({ where: { id }, data: { deletedAt: new Date() } });
        return id;
      },
    ],
  ])('%s', async (_rule, id) => {
    expect(await faultsOf(withValue(one(Option.User), String(await id())))).toEqual(['options.0.value UNKNOWN_USER']);
  });
});

describe('a role', () => {
  it('must be in the guild', async () => {
    expect((await withValue(one(Option.Role), String(scene.role.id))).resolved.roles).toMatchObject([{ name: 'red' }]);
    expect((await withValue(one(Option.Role), String(scene.guild.id))).resolved.roles).toMatchObject([
      { name: '@everyone' },
    ]);
  });

  it.each<[string, () => bigint]>([
    ['of another guild', () => other.id],
    ['that is a user', () => scene.users.ada.id],
    ['that is none', () => 5n],
  ])('%s is unknown', async (_rule, id) => {
    expect(await faultsOf(withValue(one(Option.Role), String(id())))).toEqual(['options.0.value UNKNOWN_ROLE']);
  });
});

describe('a mentionable', () => {
  it('may be a role or a user', async () => {
    const [role, user] = [
      await withValue(one(Option.Mentionable), String(scene.role.id)),
      await withValue(one(Option.Mentionable), String(scene.users.ada.id)),
    ];
    expect(role.resolved).toMatchObject({ roles: [{ id: scene.role.id }], users: [], members: [] });
    expect(user.resolved).toMatchObject({ roles: [], users: [{ id: scene.users.ada.id }], members: [{}] });
    expect(await faultsOf(withValue(one(Option.Mentionable), '5'))).toEqual(['options.0.value UNKNOWN_USER']);
  });
});

describe('a channel', () => {
  it('is resolved with the permissions of the caller and the bot, and its newest message', async () => {
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel | Permission.SendMessages);
    const { id: lastMessageId } = await say(server.app, scene.guild, scene.guild.owner, 'newest');
    const { resolved } = await withValue(one(Option.Channel), String(scene.guild.channel.id));
    expect(resolved.channels).toMatchObject([
      {
        channel: { id: scene.guild.channel.id, name: 'general' },
        lastMessageId,
        permissions: ALL_PERMISSIONS,
        appPermissions: Permission.ViewChannel | Permission.SendMessages,
      },
    ]);
  });

  it('does not expose a message that is visible to one user', async () => {
    const { id, ...rest } = await server.app.db.reader.message.findFirstOrThrow();
    const ephemeral = { ...rest, id: server.app.nextId(), visibleToId: scene.guild.owner.id, enforcedNonceKey: null };
    const data = JSON.parse(JSON.stringify({ embeds: [], components: [], mentionUserIds: [], mentionRoleIds: [] }));
    await server.app.db.writer.message.create({ data: { ...ephemeral, ...data, interaction: undefined } });
    const { channel } = await run(scene, await storeCommand(scene));
    expect(channel.lastMessageId).not.toBe(ephemeral.id);
    expect(channel.lastMessageId).toBeGreaterThanOrEqual(id);
  });

  it('must have one of the types of the option', async () => {
    const onlyVoice = one(Option.Channel, { channel_types: [2] });
    expect(await faultsOf(withValue(onlyVoice, String(voice)))).toEqual([]);
    expect(await faultsOf(withValue(onlyVoice, String(scene.guild.channel.id)))).toEqual([
      'options.0.value BASE_TYPE_CHOICES',
    ]);
  });

  it.each<[string, () => bigint]>([
    ['of another guild', () => other.channel.id],
    ['that is none', () => 5n],
  ])('%s is unknown', async (_rule, id) => {
    expect(await faultsOf(withValue(one(Option.Channel), String(id())))).toEqual(['options.0.value UNKNOWN_CHANNEL']);
  });

  it('that the caller cannot view is unknown', async () => {
    await denyInChannel(server, { id: String(scene.guild.id) }, String(hidden), Permission.ViewChannel);
    const place = await accessGuildChannel(scene.ada, scene.guild.channel.id, 'viewChannel');
    const application = await server.app.db.reader.application.findUniqueOrThrow({
      where: { id: scene.bot.id },
      include: { bot: true },
    });
    const wanted = [{ kind: 'channel', id: hidden, path: 'it' } as const];
    const attempt = loadInteractionContext(scene.ada, { application, place, owners: {}, ephemeralOnly: false, wanted });
    expect(await faultsOf(attempt)).toEqual(['it UNKNOWN_CHANNEL']);
    expect(await faultsOf(withValue(one(Option.Channel), String(hidden)))).toEqual([]);
  });
});

describe('an autocompletion', () => {
  it('has the typed value and the other known options', async () => {
    const commandId = await storeCommand(scene, [
      { type: 3, name: 'song', description: 's', autocomplete: true },
      { type: 6, name: 'who', description: 'w', required: true },
    ]);
    const request = await complete(scene, commandId, [
      { name: 'song', value: 'he', focused: true },
      { name: 'who', value: String(scene.users.ada.id) },
    ]);
    expect(request).toMatchObject({
      type: 4,
      commandId,
      data: {
        options: [
          { name: 'song', type: 3, value: 'he', focused: true },
          { name: 'who', type: 6, value: String(scene.users.ada.id) },
        ],
      },
      resolved: { users: [{ id: scene.users.ada.id }] },
    });
  });

  it('must be of a slash command', async () => {
    const commandId = await storeCommand(scene, [], { type: Type.User });
    expect(await faultsOf(complete(scene, commandId, []))).toEqual(['options BASE_TYPE_BAD_LENGTH']);
  });
});

describe('a user context menu command', () => {
  const onUser = () => storeCommand(scene, [], { type: Type.User });

  it('can be run on members and other users', async () => {
    const { ada, outsider } = scene.users;
    const [member, stranger] = [
      await run(scene, await onUser(), { targetId: ada.id }),
      await run(scene, await onUser(), { targetId: outsider.id }),
    ];
    expect(member).toMatchObject({
      data: { type: 2, target_id: String(ada.id) },
      resolved: { users: [{ id: ada.id }], members: [{ member: { userId: ada.id } }] },
    });
    expect(stranger.resolved).toMatchObject({ users: [{ id: outsider.id }], members: [] });
  });

  it.each<[string, () => { targetId?: bigint; options?: unknown }, string[]]>([
    ['has a target', () => ({}), ['targetId BASE_TYPE_REQUIRED']],
    ['has one that is there', () => ({ targetId: 5n }), ['targetId UNKNOWN_USER']],
    [
      'takes no options',
      () => ({ targetId: scene.users.ada.id, options: [{ name: 'a', value: 'x' }] }),
      ['options BASE_TYPE_INVALID'],
    ],
  ])('%s', async (_rule, sent, expected) => {
    expect(await faultsOf(run(scene, await onUser(), sent()))).toEqual(expected);
  });
});

describe('a message context menu command', () => {
  const onMessage = () => storeCommand(scene, [], { type: Type.Message });

  it('can be run on a message of the channel', async () => {
    const { id } = await say(server.app, scene.guild, scene.guild.owner, 'look');
    const request = await run(scene, await onMessage(), { targetId: id });
    expect(request).toMatchObject({
      data: { type: 3, target_id: String(id) },
      resolved: { messages: [{ id, content: 'look' }], users: [], members: [] },
    });
  });

  it.each<[string, () => Promise<bigint | undefined>, string]>([
    ['has a target', async () => undefined, 'BASE_TYPE_REQUIRED'],
    ['has one that is there', async () => 5n, 'UNKNOWN_MESSAGE'],
    ['has one of the channel', async () => (await say(server.app, other, other.owner, 'x')).id, 'UNKNOWN_MESSAGE'],
    [
      'has one that is not for another user alone',
      async () => {
        const { id } = await say(server.app, scene.guild, scene.guild.owner, 'x');
        const data = { visibleToId: scene.users.ada.id };
        await server.app.db.writer.message.update({ where: { id }, data });
        return id;
      },
      'UNKNOWN_MESSAGE',
    ],
  ])('%s', async (_rule, target, code) => {
    const targetId = await target();
    const attempt = run(scene, await onMessage(), targetId === undefined ? {} : { targetId });
    expect(await faultsOf(attempt)).toEqual([`targetId ${code}`]);
  });
});

it('a command takes few database statements, regardless of its options', async () => {
  const counted = countQueries(server, scene.owner.actor);
  const options: CommandOption[] = Array.from({ length: 24 }, (_, n) => ({
    type: [Option.User, Option.Role, Option.Channel][n % 3] ?? Option.User,
    name: `o${n}`,
    description: 'o',
  }));
  const commandId = await storeCommand(scene, options);
  const ids = [scene.users.outsider.id, scene.role.id, scene.guild.channel.id];
  const some = (count: number) => options.slice(0, count).map(({ name }, n) => ({ name, value: String(ids[n % 3]) }));
  const statements = (count: number) =>
    counted.statements(() => run(scene, commandId, { options: some(count) }, counted.call));
  await statements(24);
  const [bare, few, many] = [await statements(0), await statements(3), await statements(24)];
  // The newest message of each channel; then also roles and users who are not members. The rest is cached.
  expect([bare.length, few.length]).toEqual([1, 3]);
  expect(many).toHaveLength(few.length);
  await counted.close();
});

describe('in a direct channel with the bot', () => {
  const runThere = async (type: Option, value: string) => {
    const commandId = await storeCommand(scene, one(type));
    const { id: channelId } = await createDirectChannel(server.app, scene.users.ada, scene.bot.user);
    const options = parseInput(InvokedOptions, [{ name: 'it', value }], 'options');
    return commandRequest(scene.ada, { channelId, commandId, options });
  };

  it('an option can name any user, without a membership', async () => {
    const { resolved, member } = await runThere(Option.User, String(scene.users.outsider.id));
    expect([resolved.users.map(({ id }) => id), resolved.members, member]).toEqual([
      [scene.users.outsider.id],
      [],
      null,
    ]);
  });

  it.each([
    [Option.User, 'UNKNOWN_USER'],
    [Option.Channel, 'UNKNOWN_CHANNEL'],
    [Option.Role, 'UNKNOWN_ROLE'],
    [Option.Mentionable, 'UNKNOWN_USER'],
  ])('an option of type %i can name nothing else: %s', async (type, code) => {
    expect(await faultsOf(runThere(type, String(scene.role.id)))).toEqual([`options.0.value ${code}`]);
  });
});
