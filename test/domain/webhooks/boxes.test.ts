import { OverwriteType } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { Permission } from '../../../src/domain/permissions.js';
import { deleteWebhook, getWebhook, listGuildWebhooks, updateWebhook } from '../../../src/domain/webhooks/index.js';
import { type BoxScene, openBox } from '../../harness/box-guild.js';
import { openContext } from '../../harness/context.js';
import { channelOf, joinMembers } from '../../harness/guild-home.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, putWebhook } from '../../harness/rows.js';
import { callOf, createBot, type TestBot } from '../../harness/world.js';

describe('a webhook of a server on a box, for callers without Manage Server (docs/webhooks.md, W-3)', () => {
  let app: AppContext;
  let close: () => Promise<void>;
  let scene: BoxScene;
  let other: TestBot;
  let seen: bigint;
  let hidden: bigint;
  beforeAll(async () => {
    ({ app, close } = await openContext());
    scene = await openBox(app);
    const { guild } = scene;
    other = await createBot(app);
    joinMembers(app, guild, other.user);
    const denial = { targetId: guild.id, targetType: OverwriteType.Role, allow: 0n, deny: Permission.ViewChannel };
    const [one, two] = [channelOf(app, guild.id, 'seen'), channelOf(app, guild.id, 'hidden')];
    guild.snapshot.channels.push(one, { ...two, overwrites: [{ channelId: two.id, ...denial }] });
    [seen, hidden] = [one.id, two.id];
    await app.db.writer.boxChannel.createMany({ data: [seen, hidden].map((id) => ({ id, guildId: guild.id })) });
  });
  afterAll(() => close());

  async function attempts(call: CallContext) {
    const id = (await putWebhook(app, scene)).webhook.id;
    return {
      view: await outcome(getWebhook(call, id)),
      rename: await outcome(updateWebhook(call, id, { name: 'Crier' })),
      move: await outcome(updateWebhook(call, id, { channelId: seen })),
      moveToHidden: await outcome(updateWebhook(call, id, { channelId: hidden })),
      delete: await outcome(deleteWebhook(call, id)),
    };
  }
  const ALLOWED = { view: 'ok', rename: 'ok', move: 'ok', delete: 'ok' };
  const UNKNOWN = 'UNKNOWN_WEBHOOK';
  const boxOwner = async () => {
    const { ownerId } = await app.db.reader.box.findFirstOrThrow();
    return callOf(app, await app.db.reader.user.findUniqueOrThrow({ where: { id: ownerId } }));
  };

  test("can be renamed, moved and deleted by its application's bot", async () => {
    const call = callOf(app, scene.bot.user);
    expect(await attempts(call)).toEqual({ ...ALLOWED, moveToHidden: 'MISSING_ACCESS' });
  });

  test('can be renamed and deleted by a developer, and moved to channels that the bot can view', async () => {
    const call = callOf(app, scene.bot.owner);
    expect(await attempts(call)).toEqual({ ...ALLOWED, moveToHidden: 'UNKNOWN_CHANNEL' });
  });

  test("can be viewed and deleted by the box's owner, but not changed", async () => {
    const refused = 'MISSING_PERMISSIONS';
    const changes = { rename: refused, move: refused, moveToHidden: refused };
    expect(await attempts(await boxOwner())).toEqual({ ...ALLOWED, ...changes });
  });

  test("is unknown to another application's bot, despite its permissions", async () => {
    const { guild } = scene;
    const [everyone] = guild.snapshot.guild.roles;
    if (!everyone) throw new Error('there is no @everyone');
    const { permissions } = everyone;
    everyone.permissions = Permission.Administrator;
    const call = callOf(app, other.user);
    const none = { view: UNKNOWN, rename: UNKNOWN, move: UNKNOWN, moveToHidden: UNKNOWN, delete: UNKNOWN };
    expect(await attempts(call)).toEqual(none);
    expect(await listGuildWebhooks(call, guild.id)).toEqual([]);
    expect((await listGuildWebhooks(callOf(app, scene.bot.user), guild.id)).length).toBeGreaterThan(0);
    everyone.permissions = permissions;
  });

  test('is unknown to other users', async () => {
    const none = { view: UNKNOWN, rename: UNKNOWN, move: UNKNOWN, moveToHidden: UNKNOWN, delete: UNKNOWN };
    expect(await attempts(callOf(app, await createPerson(app)))).toEqual(none);
  });
});
