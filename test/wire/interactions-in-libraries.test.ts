import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type BaseInteraction, Client, type Interaction } from 'discord.js';
import { ComponentType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { Client as ErisClient, Guild as ErisGuild, Interaction as ErisInteraction } from 'eris';
import { Client as OceanicClient, Guild as OceanicGuild, Interaction as OceanicInteraction } from 'oceanic.js';
import { describe, expect } from 'vitest';
import {
  componentRequest,
  type InteractionRequest,
  modalRequest,
  SubmittedComponents,
} from '../../src/domain/interactions/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { renderGuildCreate, renderOwnGuildFields } from '../../src/wire/guild-create.js';
import { renderInteraction } from '../../src/wire/interactions.js';
import { renderMember } from '../../src/wire/members.js';
import {
  complete,
  openScene,
  run,
  type Scene,
  sayWith,
  storeCommand,
  storeModal,
} from '../domain/interactions/scene.js';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { it } from '../harness/fixtures.js';
import { PLAIN_MEMBER } from '../harness/plain-columns.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { say } from '../harness/world.js';

type Kind = 'all' | 'user' | 'message' | 'typing' | 'button' | 'select' | 'modal';

let server: TestServer;
let scene: Scene;
let requests: Record<Kind, InteractionRequest>;
let guild: object;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  requests = {
    all: await slash(),
    user: await run(scene, await storeCommand(scene, [], { type: 2 }), { targetId: scene.users.ada.id }),
    message: await onMessage(),
    typing: await typing(),
    button: await used({ type: ComponentType.Button, style: 1, label: 'x', custom_id: 'it' }),
    select: await used({ type: ComponentType.UserSelect, custom_id: 'it' }, [String(scene.users.ada.id)]),
    modal: await filledIn(),
  };
  guild = await guildCreate();
});

async function slash() {
  const options = [
    { type: Option.User, name: 'who', description: 'o' },
    { type: Option.Role, name: 'role', description: 'o' },
    { type: Option.Channel, name: 'where', description: 'o' },
  ];
  const values = { who: scene.users.ada.id, role: scene.role.id, where: scene.guild.channel.id };
  const sent = Object.entries(values).map(([name, id]) => ({ name, value: String(id) }));
  return run(scene, await storeCommand(scene, options, { name: 'all' }), { options: sent });
}

async function onMessage() {
  const { id } = await say(server.app, scene.guild, scene.guild.owner, 'look');
  return run(scene, await storeCommand(scene, [], { type: 3 }), { targetId: id });
}

async function typing() {
  const options = [{ type: Option.Number, name: 'song', description: 's', autocomplete: true }];
  return complete(scene, await storeCommand(scene, options), [{ name: 'song', value: '1.', focused: true }]);
}

async function used(component: object, values: string[] = []) {
  const { id: messageId } = await sayWith(scene, { type: ComponentType.ActionRow, components: [component] } as never);
  return componentRequest(scene.owner, { channelId: scene.guild.channel.id, messageId, customId: 'it', values });
}

async function filledIn() {
  const components = [
    { type: 1, components: [{ type: 4, custom_id: 'name', style: 1 }] },
    { type: 18, label: 'Who', component: { type: 5, custom_id: 'who' } },
  ];
  const sent = [
    { components: [{ custom_id: 'name', value: 'Ada' }] },
    { component: { custom_id: 'who', values: [String(scene.users.ada.id)] } },
  ];
  const submitted = parseInput(SubmittedComponents, sent);
  return modalRequest(scene.ada, { interaction: await storeModal(scene, components), components: submitted });
}

async function guildCreate(): Promise<object> {
  const { guilds } = server.app;
  const { id } = scene.guild;
  const [snapshot, members] = await Promise.all([guilds.snapshot(id), guilds.members(id, {}, 100)]);
  const facts = { ...PLAIN_MEMBER, joinedAt: new Date(), roleIds: [] };
  return { ...renderGuildCreate(snapshot!), ...renderOwnGuildFields(facts, false), members: members.map(renderMember) };
}

/** A copy for a library, because some modify their input. */
// biome-ignore lint/suspicious/noExplicitAny: libraries have types of their own for what they are given
const wire = (value: object): any => JSON.parse(JSON.stringify(value));

const rendered = (kind: Kind) => {
  const key = { id: server.app.nextId(), token: 'a token' };
  return wire(renderInteraction(requests[kind], key, server.app.addresses));
};

describe('an unmodified discord.js', () => {
  function heard<Kept extends BaseInteraction = Interaction>(kind: Kind, isKnown = true): Kept {
    const client = new Client({ intents: [] });
    // biome-ignore lint/suspicious/noExplicitAny: what the library does with a dispatch is no public method
    const inner = client as any;
    if (isKnown) inner.guilds._add(wire(guild));
    let interaction: unknown;
    client.on('interactionCreate', (one) => {
      interaction = one;
    });
    inner.actions.InteractionCreate.handle(rendered(kind));
    return interaction as Kept;
  }

  it.each([true, false])('parses a slash command (the guild is known: %s)', (isKnown) => {
    const interaction = heard('all', isKnown);
    if (!interaction.isChatInputCommand()) throw new Error('that is no slash command');
    expect(interaction.commandName).toBe('all');
    expect(interaction.options.getUser('who', true).id).toBe(String(scene.users.ada.id));
    expect(interaction.options.getRole('role', true).name).toBe('red');
    expect(interaction.options.getChannel('where', true).name).toBe('general');
    expect(interaction.options.getMember('who')).toBeTruthy();
    expect(interaction.inGuild()).toBe(true);
    expect(interaction.memberPermissions?.has('Administrator')).toBe(true);
    expect(interaction.appPermissions.has('SendMessages')).toBe(true);
    expect(interaction.attachmentSizeLimit).toBe(10_485_760);
    expect(interaction.authorizingIntegrationOwners.guildId).toBe(String(scene.guild.id));
    expect([interaction.locale, interaction.guildLocale, interaction.context]).toEqual(['en-US', 'en-US', 0]);
  });

  it('keeps its cached data of the channel', () => {
    const { channel } = heard('all');
    if (!channel || channel.isDMBased()) throw new Error('that is no channel of the guild');
    expect([channel.name, channel.isTextBased(), channel.guildId]).toEqual(['general', true, String(scene.guild.id)]);
  });

  it('parses menu commands', () => {
    const [user, message] = [heard('user'), heard('message')];
    if (!user.isUserContextMenuCommand() || !message.isMessageContextMenuCommand()) throw new Error('that is no menu');
    expect(user.targetUser.id).toBe(String(scene.users.ada.id));
    expect(user.targetMember).toBeTruthy();
    expect(message.targetMessage.content).toBe('look');
  });

  it('parses an autocompletion', () => {
    const interaction = heard('typing');
    if (!interaction.isAutocomplete()) throw new Error('that is no autocompletion');
    expect(interaction.options.getFocused(true)).toMatchObject({ name: 'song', value: '1.' });
  });

  it('parses components', () => {
    const [button, select] = [heard('button'), heard('select')];
    if (!button.isButton() || !select.isUserSelectMenu()) throw new Error('those are no components');
    expect([button.customId, button.message.content]).toEqual(['it', 'choose']);
    expect(button.component?.type).toBe(2);
    expect([...select.users.keys()]).toEqual([String(scene.users.ada.id)]);
    expect([...select.members.keys()]).toEqual([String(scene.users.ada.id)]);
  });

  it('parses a modal', () => {
    const interaction = heard('modal');
    if (!interaction.isModalSubmit()) throw new Error('that is no modal');
    expect(interaction.fields.getTextInputValue('name')).toBe('Ada');
    expect([...interaction.fields.getSelectedUsers('who', true).keys()]).toEqual([String(scene.users.ada.id)]);
    expect(interaction.isFromMessage()).toBe(false);
  });
});

describe('an unmodified eris', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each kind is a class of its own
  function made(kind: Kind): any {
    const client = new ErisClient('Bot token', { intents: [] });
    // Its guilds need the shard of their connection.
    client.shards.set(0, { client } as never);
    client.guilds.add(new ErisGuild(wire(guild), client));
    client.channelGuildMap[String(scene.guild.channel.id)] = String(scene.guild.id);
    // biome-ignore lint/suspicious/noExplicitAny: its types leave the client out
    return (ErisInteraction as any).from(rendered(kind), client);
  }

  it('parses each kind', () => {
    const ada = String(scene.users.ada.id);
    expect(made('all').data.resolved.members.get(ada).id).toBe(ada);
    expect(made('all').data.resolved.roles.get(String(scene.role.id)).name).toBe('red');
    expect(made('all').member.id).toBe(String(scene.guild.owner.id));
    expect(made('user').data.target_id).toBe(ada);
    expect(made('message').data.resolved.messages.size).toBe(1);
    expect(made('typing').data.options[0].focused).toBe(true);
    expect(made('button').message.content).toBe('choose');
    expect(made('select').data.values).toEqual([ada]);
    expect(made('modal').data.components[0].components[0].value).toBe('Ada');
  });
});

describe('an unmodified oceanic.js', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each kind is a class of its own
  function made(kind: Kind): any {
    const client = new OceanicClient({ auth: 'Bot token' });
    // Set by the library when it connects.
    Object.assign(client, { _application: { id: String(scene.bot.id) }, _user: { id: String(scene.bot.id) } });
    client.guilds.add(new OceanicGuild(wire(guild), client));
    client.channelGuildMap.set(String(scene.guild.channel.id), String(scene.guild.id));
    return OceanicInteraction.from(rendered(kind), client);
  }

  it('parses each kind', () => {
    const ada = String(scene.users.ada.id);
    const { options } = made('all').data;
    expect([options.getUser('who').id, options.getMember('who').id]).toEqual([ada, ada]);
    expect([options.getRole('role').name, options.getChannel('where').name]).toEqual(['red', 'general']);
    expect(made('user').data.target.id).toBe(ada);
    expect(made('message').data.target.content).toBe('look');
    expect(made('typing').data.options.getFocused().value).toBe('1.');
    expect(made('button').message.content).toBe('choose');
    expect(
      made('select')
        .data.values.getUsers()
        .map(({ id }: { id: string }) => id),
    ).toEqual([ada]);
    expect(made('modal').data.components.getTextInput('name')).toBe('Ada');
  });
});

describe.skipIf(noDiscordPy)(needing(noDiscordPy, 'discord.py'), () => {
  it('parses each kind', () => {
    const kinds: Kind[] = ['all', 'user', 'message', 'typing', 'button', 'select', 'modal'];
    const script = join(import.meta.dirname, 'discord_py_interactions.py');
    const input = JSON.stringify({ guild, interactions: kinds.map(rendered) });
    const { stdout, stderr } = spawnSync(PYTHON, [script], { input, encoding: 'utf8' });
    if (!stdout) throw new Error(stderr);
    const [all, user, message, song, button, select, modal] = JSON.parse(stdout);
    const { username } = scene.guild.owner;
    const ada = ['Member', scene.users.ada.username];
    expect(all).toMatchObject({
      type: 2,
      user: ['Member', username],
      channel: 'general',
      guild: 'Guild',
      administrator: true,
      app_may_send: true,
      namespace: { who: ada, role: ['Role', 'red'], where: ['AppCommandChannel', 'general'] },
      message: null,
    });
    expect(user.resolved).toEqual([ada]);
    expect(message.resolved).toEqual([['Message', 'look']]);
    expect(song).toMatchObject({ type: 4 });
    expect(button).toMatchObject({ type: 3, message: ['Message', 'choose'] });
    expect(select.resolved).toEqual([ada]);
    expect(modal).toMatchObject({ type: 5, user: ada, resolved: [ada] });
  });
});
