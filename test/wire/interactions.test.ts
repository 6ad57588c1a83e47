import { ComponentType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import {
  componentRequest,
  type InteractionRequest,
  modalRequest,
  SubmittedComponents,
} from '../../src/domain/interactions/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { ALL_PERMISSIONS, DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import { createAddressSignatures } from '../../src/infra/crypto/address-signatures.js';
import { renderInteraction } from '../../src/wire/interactions.js';
import {
  complete,
  openScene,
  run,
  type Scene,
  sayWith,
  storeCommand,
  storeModal,
} from '../domain/interactions/scene.js';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { expectReference } from '../harness/reference.js';
import type { TestServer } from '../harness/server.js';
import { say } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
let everything: InteractionRequest;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  const options = [Option.User, Option.Role, Option.Channel].map((type, n) => ({
    type,
    name: `o${n}`,
    description: 'o',
  }));
  const ids = [scene.users.ada.id, scene.role.id, scene.guild.channel.id];
  const sent = ids.map((id, n) => ({ name: `o${n}`, value: String(id) }));
  const commandId = await storeCommand(scene, options, { name: 'all', scopeId: scene.guild.id });
  everything = await run(scene, commandId, { options: sent });
});

const NOTHING = () => Promise.reject(new Error('nothing is read'));
const UNREAD = (): never => {
  throw new Error('nothing is read');
};

const KEY = { id: 1_234_567_890_123_456_789n, token: 'a token' };

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
const render = (request: InteractionRequest): any =>
  JSON.parse(JSON.stringify(renderInteraction(request, KEY, server.app.addresses)));

const pressed = async () => {
  const button = { type: ComponentType.Button, style: 1, label: 'x', custom_id: 'it' };
  const { id: messageId } = await sayWith(scene, { type: ComponentType.ActionRow, components: [button] } as never);
  return componentRequest(scene.ada, { channelId: scene.guild.channel.id, messageId, customId: 'it' });
};

const NAME = { type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1 } };

const filledIn = async () =>
  modalRequest(scene.ada, {
    interaction: await storeModal(scene, [NAME]),
    components: parseInput(SubmittedComponents, [{ component: { custom_id: 'name', value: 'Ada' } }]),
  });

const typing = async () => {
  const options = [{ type: Option.String, name: 'song', description: 's', autocomplete: true }];
  return complete(scene, await storeCommand(scene, options), [{ name: 'song', value: 'he', focused: true }]);
};

function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => nullsIn(inner, path ? `${path}.${name}` : name));
}

describe('I-4: an interaction', () => {
  it.each<[string, number, () => Promise<InteractionRequest>]>([
    ['of a command', 2, async () => everything],
    ['of a component', 3, pressed],
    ['of an autocompletion', 4, typing],
    ['of a modal', 5, filledIn],
  ])('%s has every required field', async (_kind, type, request) => {
    const guildId = String(scene.guild.id);
    expect(render(await request())).toMatchObject({
      id: String(KEY.id),
      application_id: String(scene.bot.id),
      type,
      token: 'a token',
      version: 1,
      guild_id: guildId,
      guild: { id: guildId, locale: 'en-US', features: [] },
      channel_id: String(scene.guild.channel.id),
      channel: { id: String(scene.guild.channel.id), type: 0, name: 'general', guild_id: guildId },
      member: { user: {}, permissions: expect.stringMatching(/^\d+$/), roles: expect.any(Array) },
      app_permissions: String(DEFAULT_EVERYONE_PERMISSIONS),
      locale: 'en-US',
      guild_locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: { 0: guildId },
      context: 0,
      attachment_size_limit: 10_485_760,
    });
  });

  it('has no user in addition to the member, and no message unless one is concerned', () => {
    expect(render(everything)).not.toHaveProperty('user');
    expect(render(everything)).not.toHaveProperty('message');
  });

  it('has null only in fields that are nullable on the reference platform', async () => {
    const nullable =
      /(^|\.)(avatar|banner|global_name|nick|premium_since|communication_disabled_until|primary_guild|last_message_id|parent_id|topic|icon|unicode_emoji|edited_timestamp|secondary_color|tertiary_color)$/;
    for (const request of [everything, await pressed(), await filledIn()]) {
      expect(nullsIn(render(request)).filter((path) => !nullable.test(path))).toEqual([]);
    }
  });

  it("names both installations if both authorize it, or only the user's", async () => {
    const owners = (guildId?: bigint, userId?: bigint) =>
      render({ ...everything, owners: { ...(guildId && { guildId }), ...(userId && { userId }) } })
        .authorizing_integration_owners;
    expect(owners(1n, 2n)).toEqual({ 0: '1', 1: '2' });
    expect(owners(undefined, 2n)).toEqual({ 1: '2' });
  });

  it('shows uploaded files at addresses that are valid as long as the files are kept', () => {
    const DAY = 86_400_000;
    // At the end of a day, addresses are valid for the shortest time.
    const clock = new ManualClock(Date.UTC(2026, 0, 2) - 1000);
    const signatures = createAddressSignatures(['key'], clock);
    const blob = { size: 3, head: Buffer.alloc(0), bytes: NOTHING, read: UNREAD, keep: NOTHING, discard: NOTHING };
    const named = { filename: 'ä.png', title: null, isSpoiler: false };
    const file = { id: 77n, ...named, contentType: 'image/png', size: 3, width: 1, height: null };
    const request = { ...everything, resolved: { ...everything.resolved, files: [{ file, blob }] } };
    const rendered = JSON.parse(JSON.stringify(renderInteraction(request, KEY, { publicUrl: 'http://x', signatures })));
    const { url, proxy_url, ...attachment } = rendered.data.resolved.attachments['77'];
    expect(attachment).toEqual({
      id: '77',
      filename: 'ä.png',
      content_type: 'image/png',
      size: 3,
      width: 1,
      ephemeral: true,
    });
    expectReference('MessageAttachmentResponse', { url, proxy_url, ...attachment });
    expect(proxy_url).toBe(url);
    const { pathname, searchParams } = new URL(url);
    const channelId = scene.guild.channel.id;
    expect(pathname).toBe(`/cdn/ephemeral-attachments/${channelId}/77/%C3%A4.png`);
    clock.advance(7 * DAY);
    const query = Object.fromEntries(searchParams);
    expect(signatures.secondsLeft(`ephemeral-attachments/${channelId}/77/ä.png`, query)).toBeGreaterThan(0);
    expect(signatures.secondsLeft(`attachments/${channelId}/77/ä.png`, query)).toBe(0);
  });

  it('has a user if there is no membership', () => {
    const rendered = render({ ...everything, member: null });
    expect(rendered).toMatchObject({ user: { id: String(scene.guild.owner.id) } });
    expect(rendered).not.toHaveProperty('member');
  });
});

describe('the data of a command', () => {
  it('has the command and its options', () => {
    const { data } = everything;
    expect(render(everything).data).toMatchObject({
      ...data,
      name: 'all',
      type: 1,
      guild_id: String(scene.guild.id),
      options: [{ name: 'o0', type: 6, value: String(scene.users.ada.id) }, {}, {}],
    });
  });

  it('resolves its ids, in shapes of the reference platform', () => {
    const { users, members, roles, channels } = render(everything).data.resolved;
    const [ada, red, general] = [scene.users.ada.id, scene.role.id, scene.guild.channel.id].map(String);
    expectReference('UserResponse', users[ada!]);
    expectReference('GuildRoleResponse', roles[red!]);
    expect(members[ada!]).toMatchObject({ roles: [red], permissions: String(DEFAULT_EVERYONE_PERMISSIONS) });
    for (const absent of ['user', 'deaf', 'mute']) expect(members[ada!]).not.toHaveProperty(absent);
    expect(channels[general!]).toMatchObject({ id: general, name: 'general', type: 0, position: 0, flags: 0 });
    expect(channels[general!]).toMatchObject({
      permissions: String(ALL_PERMISSIONS),
      app_permissions: String(DEFAULT_EVERYONE_PERMISSIONS),
    });
    expect(channels[general!]).not.toHaveProperty('permission_overwrites');
  });

  it('has no resolved data without ids', async () => {
    expect(render(await typing()).data).not.toHaveProperty('resolved');
    expect(render(await typing()).data.options).toEqual([{ name: 'song', type: 3, value: 'he', focused: true }]);
  });

  it('has the full target message of a menu, whatever the intents, but not the one that it replies to', async () => {
    const { app } = server;
    const first = await say(app, scene.guild, scene.guild.owner, 'a secret');
    const reply = { message_reference: { message_id: String(first.id) } };
    const { id } = await say(app, scene.guild, scene.guild.owner, 'look', reply);
    const commandId = await storeCommand(scene, [], { type: 3 });
    const request = await run(scene, commandId, { targetId: id });
    const shown = (messageContentIntent: boolean) =>
      render({ ...request, application: { ...request.application, messageContentIntent } }).data.resolved.messages[
        String(id)
      ];
    expectReference('MessageResponse', shown(true));
    expect(shown(true)).toMatchObject({ content: 'look', referenced_message: { content: 'a secret' } });
    expect(shown(false)).toMatchObject({ content: 'look', referenced_message: { content: '' } });
  });
});

describe('the data of a component', () => {
  it('has its custom id and its message', async () => {
    const rendered = render(await pressed());
    expect(rendered.data).toMatchObject({ component_type: 2, custom_id: 'it' });
    expect(rendered.data).not.toHaveProperty('values');
    expectReference('MessageResponse', rendered.message);
    expect(rendered.message).toMatchObject({ content: 'choose', author: { id: String(scene.bot.id) } });
  });
});

describe('the data of a modal', () => {
  it('has the submitted values', async () => {
    expect(render(await filledIn()).data).toEqual({
      custom_id: 'form',
      components: [{ type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' } }],
    });
  });
});
