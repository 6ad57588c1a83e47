import { ButtonStyle, ComponentType as Type } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import { ChosenValues, componentRequest } from '../../../../src/domain/interactions/index.js';
import { addReaction } from '../../../../src/domain/messages/index.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { DEFAULT_EVERYONE_PERMISSIONS, Permission } from '../../../../src/domain/permissions.js';
import { it } from '../../../harness/fixtures.js';
import { outcome } from '../../../harness/outcome.js';
import { countQueries } from '../../../harness/queries.js';
import { permitEveryone } from '../../../harness/rows.js';
import type { TestServer } from '../../../harness/server.js';
import { callOf, createBot, say } from '../../../harness/world.js';
import { installToPerson, letInstallToPeople } from '../../command-permissions/scene.js';
import { faultsOf, installWithCommands, openScene, type Scene, sayWith, whileTimedOut } from '../scene.js';

let server: TestServer;
let scene: Scene;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const row = (...components: object[]) => ({ type: Type.ActionRow, components });

const button = (facts: object = {}) => ({
  type: Type.Button,
  style: ButtonStyle.Primary,
  label: 'x',
  custom_id: 'it',
  ...facts,
});

const colours = (facts: object = {}) => ({
  type: Type.StringSelect,
  custom_id: 'it',
  options: ['red', 'green', 'blue'].map((value) => ({ label: value, value })),
  ...facts,
});

const select = (type: Type, facts: object = {}) => ({ type, custom_id: 'it', ...facts });

interface Use {
  customId?: string;
  values?: unknown;
}

function use(messageId: bigint, { customId = 'it', values }: Use = {}, call = scene.ada) {
  const chosen = values === undefined ? undefined : parseInput(ChosenValues, values, 'values');
  return componentRequest(call, { channelId: scene.guild.channel.id, messageId, customId, values: chosen });
}

async function useOf(components: { type: Type }[], sent?: Use, call = scene.ada) {
  return use((await sayWith(scene, ...components)).id, sent, call);
}

describe('a button', () => {
  it('that is pressed has its id, its message and the user', async () => {
    const message = await sayWith(scene, row(button({ id: 7 })));
    expect(await use(message.id)).toMatchObject({
      type: 3,
      name: 'it',
      commandId: null,
      parentId: null,
      application: { id: scene.bot.id },
      user: { id: scene.users.ada.id },
      member: { userId: scene.users.ada.id },
      data: { component_type: 2, custom_id: 'it', id: 7 },
      message: { id: message.id, content: 'choose' },
      owners: { guildId: scene.guild.id },
      ephemeralOnly: false,
    });
  });

  it.each<[string, () => object[], Use, string[]]>([
    ['has the custom id', () => [row(button())], { customId: 'other' }, ['customId BASE_TYPE_INVALID']],
    ['is not disabled', () => [row(button({ disabled: true }))], {}, ['customId BASE_TYPE_INVALID']],
    ['has no values', () => [row(button())], { values: ['x'] }, ['values BASE_TYPE_INVALID']],
    ['may have an empty list of them', () => [row(button())], { values: [] }, []],
  ])('%s', async (_rule, components, sent, expected) => {
    expect(await faultsOf(useOf(components() as { type: Type }[], sent))).toEqual(expected);
  });

  it('can be pressed by members who can read the message, without the permission to run commands', async () => {
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel | Permission.ReadMessageHistory);
    const { id } = await sayAs(row(button()));
    expect(await outcome(use(id))).toBe('ok');
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel);
    expect(await outcome(use(id))).toBe('UNKNOWN_MESSAGE');
    await permitEveryone(server.app, scene.guild.id, 0n);
    expect(await outcome(use(id))).toBe('UNKNOWN_CHANNEL');
    await permitEveryone(server.app, scene.guild.id, DEFAULT_EVERYONE_PERMISSIONS);
    expect(await outcome(use(id, {}, callOf(server.app, scene.users.outsider)))).toBe('UNKNOWN_CHANNEL');
    expect(await outcome(use(id, {}, callOf(server.app, scene.bot.user)))).toBe('FORBIDDEN');
  });
});

/** Stores a message of the bot, regardless of its permissions. */
async function sayAs(...components: object[]) {
  const [message] = await server.app.db.writer.message.createManyAndReturn({
    data: [
      {
        id: server.app.nextId(),
        channelId: scene.guild.channel.id,
        authorId: scene.bot.id,
        content: '',
        embeds: [],
        components: JSON.parse(JSON.stringify(components)),
        mentionUserIds: [],
        mentionRoleIds: [],
      },
    ],
  });
  return message!;
}

describe('the message of a component', () => {
  it('is unusable for members while they are timed out', async () => {
    const press = () => outcome(useOf([row(button())]));
    expect(await press()).toBe('ok');
    await whileTimedOut(scene, async () => expect(await press()).toBe('MISSING_PERMISSIONS'));
  });

  it('must be from an application', async () => {
    const { id } = await sayWith(scene, row(button()));
    await server.app.db.writer.message.update({ where: { id }, data: { authorId: scene.users.ada.id } });
    expect(await outcome(use(id))).toBe('UNKNOWN_APPLICATION');
  });

  it('must be in the channel', async () => {
    expect(await outcome(use(5n))).toBe('UNKNOWN_MESSAGE');
  });

  it('may be visible to one user, who can use it without reading the history', async () => {
    const { id } = await sayAs(row(button()));
    await server.app.db.writer.message.update({ where: { id }, data: { visibleToId: scene.users.ada.id } });
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel);
    expect(await outcome(use(id))).toBe('ok');
    expect(await outcome(use(id, {}, scene.owner))).toBe('UNKNOWN_MESSAGE');
    await permitEveryone(server.app, scene.guild.id, DEFAULT_EVERYONE_PERMISSIONS);
  });

  it('has the reactions of its application marked', async () => {
    const { id } = await sayWith(scene, row(button()));
    const key = { channelId: scene.guild.channel.id, messageId: id };
    await addReaction(scene.ada, { ...key, emoji: '👍' });
    await addReaction(callOf(server.app, scene.bot.user), { ...key, emoji: '👎' });
    expect((await use(id)).message?.reactions).toEqual([
      { emoji: '👍', count: 1, me: false },
      { emoji: '👎', count: 1, me: true },
    ]);
  });
});

describe('the installations behind a component', () => {
  /** Creates a message of the application that responds to an interaction with these installations. */
  async function answerOf(applicationId: bigint, owners: object) {
    const { id } = await sayAs(row(button()));
    const interaction = { id: '1', type: 2, name: 'c', userId: '1', owners };
    await server.app.db.writer.message.update({ where: { id }, data: { applicationId, interaction } });
    return id;
  }

  async function personalBot() {
    const bot = await createBot(server.app);
    const { owner: installer } = scene.guild;
    await installToPerson(server.app, bot.id, installer);
    return { bot, userId: installer.id, id: await answerOf(bot.id, { userId: String(installer.id) }) };
  }

  it('are those of the interaction that the message responds to', async () => {
    const { bot, userId, id } = await personalBot();
    expect(await use(id)).toMatchObject({ application: { id: bot.id }, owners: { userId }, ephemeralOnly: false });
    await permitEveryone(server.app, scene.guild.id, Permission.ViewChannel | Permission.ReadMessageHistory);
    expect(await use(id)).toMatchObject({ owners: { userId }, ephemeralOnly: true });
    await permitEveryone(server.app, scene.guild.id, DEFAULT_EVERYONE_PERMISSIONS);
    await server.app.db.writer.installation.deleteMany({ where: { applicationId: bot.id } });
    expect(await outcome(use(id))).toBe('UNKNOWN_APPLICATION');
  });

  it("include a user's one only while the application allows user installs", async () => {
    const { bot, userId, id } = await personalBot();
    const both = await answerOf(bot.id, { userId: String(userId), guildId: String(scene.guild.id) });
    await installWithCommands(server.app, bot, scene.guild);
    expect(await use(both)).toMatchObject({ owners: { userId, guildId: scene.guild.id } });
    await letInstallToPeople(server.app, bot.id, false);
    expect(await outcome(use(id))).toBe('UNKNOWN_APPLICATION');
    expect((await use(both)).owners).toEqual({ guildId: scene.guild.id });
  });

  it('must be of that same application', async () => {
    const bot = await createBot(server.app);
    const id = await answerOf(bot.id, { guildId: String(scene.guild.id) });
    expect(await outcome(use(id))).toBe('UNKNOWN_APPLICATION');
  });
});

describe('a select', () => {
  const of = (...facts: Parameters<typeof select>) => [row(select(...facts))];

  it('returns the chosen values in their order', async () => {
    const { data } = await useOf([row(colours({ max_values: 3 }))], { values: ['green', 'red'] });
    expect(data).toEqual({ component_type: 3, custom_id: 'it', id: 2, values: ['green', 'red'] });
  });

  it.each<[string, object, unknown, string[]]>([
    ['takes one of its values', colours(), ['red'], []],
    ['takes none of another', colours(), ['pink'], ['values.0 BASE_TYPE_CHOICES']],
    ['takes one unless it says otherwise', colours(), ['red', 'blue'], ['values BASE_TYPE_BAD_LENGTH']],
    ['takes no less than one unless it says otherwise', colours(), [], ['values BASE_TYPE_REQUIRED']],
    ['takes no less than one where nothing is sent', colours(), undefined, ['values BASE_TYPE_REQUIRED']],
    ['takes none where it says so', colours({ min_values: 0 }), [], []],
    ['takes as many as it says', colours({ min_values: 2, max_values: 2 }), ['red', 'blue'], []],
    ['takes no fewer', colours({ min_values: 2, max_values: 2 }), ['red'], ['values BASE_TYPE_BAD_LENGTH']],
    [
      'takes each once',
      colours({ max_values: 3 }),
      ['red', 'blue', 'red'],
      ['values.2 SET_TYPE_ALREADY_CONTAINS_VALUE'],
    ],
    ['is not disabled', colours({ disabled: true }), ['red'], ['customId BASE_TYPE_INVALID']],
    ['takes 25 values at most', colours({ max_values: 3 }), Array(26).fill('red'), ['values BASE_TYPE_BAD_LENGTH']],
    ['takes text', colours(), [{}], ['values.0 BASE_TYPE_INVALID']],
    ['takes a list', colours(), 'red', ['values LIST_TYPE_CONVERT']],
    ['of users takes ids', select(Type.UserSelect), ['ada'], ['values.0 NUMBER_TYPE_COERCE']],
    ['of users takes users', select(Type.UserSelect), ['5'], ['values.0 UNKNOWN_USER']],
    ['of roles takes roles', select(Type.RoleSelect), ['5'], ['values.0 UNKNOWN_ROLE']],
    ['of mentionables takes them', select(Type.MentionableSelect), ['5'], ['values.0 UNKNOWN_USER']],
    ['of channels takes channels', select(Type.ChannelSelect), ['5'], ['values.0 UNKNOWN_CHANNEL']],
  ])('%s', async (_rule, component, values, expected) => {
    const attempt = async () => useOf([row(component)], values === undefined ? {} : { values });
    expect(await faultsOf(attempt())).toEqual(expected);
  });

  it('resolves all its ids', async () => {
    const { guild, role, users } = scene;
    const [ada, outsider, red, channel] = [users.ada.id, users.outsider.id, role.id, guild.channel.id].map(String);
    const values = [ada, outsider];
    expect(await useOf(of(Type.UserSelect, { max_values: 2 }), { values })).toMatchObject({
      data: { component_type: 5, values },
      resolved: {
        users: [{ id: users.ada.id }, { id: users.outsider.id }],
        members: [{ member: { userId: users.ada.id } }],
      },
    });
    expect((await useOf(of(Type.RoleSelect), { values: [red] })).resolved.roles).toMatchObject([{ id: role.id }]);
    expect((await useOf(of(Type.MentionableSelect, { max_values: 2 }), { values: [red, ada] })).resolved).toMatchObject(
      {
        roles: [{ id: role.id }],
        users: [{ id: users.ada.id }],
      },
    );
    expect((await useOf(of(Type.ChannelSelect), { values: [channel] })).resolved.channels).toMatchObject([
      { channel: { id: guild.channel.id } },
    ]);
  });

  it('of channels accepts only its channel types', async () => {
    const values = [String(scene.guild.channel.id)];
    const ofVoice = of(Type.ChannelSelect, { channel_types: [2] });
    expect(await faultsOf(useOf(ofVoice, { values }))).toEqual(['values.0 BASE_TYPE_CHOICES']);
  });
});

describe('a component can be used', () => {
  const section = { type: Type.Section, components: [{ type: Type.TextDisplay, content: 'x' }], accessory: button() };

  it.each<[string, object]>([
    ['in a row', row(button({ custom_id: 'other' }), button())],
    ['next to a section', section],
    ['in a container', { type: Type.Container, components: [row(colours())] }],
    ['next to a section in a container', { type: Type.Container, components: [section] }],
  ])('%s', async (_where, component) => {
    const { id } = await sayAs(component);
    const isSelect = JSON.stringify(component).includes('options');
    expect(await outcome(use(id, isSelect ? { values: ['red'] } : {}))).toBe('ok');
  });

  it('unless it is a link', async () => {
    const link = { type: Type.Button, style: ButtonStyle.Link, label: 'x', url: 'https://a.example' };
    const { id } = await sayAs(row(link));
    expect(await faultsOf(use(id))).toEqual(['customId BASE_TYPE_INVALID']);
  });
});

it('a use takes few database statements, regardless of the chosen values', async () => {
  const counted = countQueries(server, scene.ada.actor);
  const { id } = await sayWith(scene, row(select(Type.MentionableSelect, { max_values: 25 })));
  const { users, role, guild, bot } = scene;
  const ids = [users.outsider.id, role.id, users.ada.id, guild.id, bot.id, guild.owner.id].map(String);
  const statements = (count: number) =>
    counted.statements(() => use(id, { values: ids.slice(0, count) }, counted.call));
  await statements(2);
  const [few, many] = [await statements(2), await statements(6)];
  expect(many).toHaveLength(few.length);
  expect(few.length).toBeLessThanOrEqual(11);
  await counted.close();
});

it('a bot message without components is handled like others', async () => {
  const { id } = await say(server.app, scene.guild, scene.bot.user, 'no components');
  expect(await faultsOf(use(id))).toEqual(['customId BASE_TYPE_INVALID']);
});
