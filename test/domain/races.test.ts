import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { banMember, unbanMember } from '../../src/domain/bans/index.js';
import type { BusMessage } from '../../src/domain/bus-message.js';
import type { CallContext } from '../../src/domain/call.js';
import {
  createChannel,
  deleteChannel,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../src/domain/channels/index.js';
import { createEmoji, deleteEmoji, updateEmoji } from '../../src/domain/emojis/index.js';
import { deleteGuild, joinGuild, leaveGuild, updateGuild } from '../../src/domain/guilds/index.js';
import { createInvite, deleteInvite } from '../../src/domain/invites/index.js';
import {
  addMemberRole,
  kickMember,
  removeMemberRole,
  setMemberRoles,
  updateMember,
} from '../../src/domain/members/index.js';
import { addReaction, deleteMessage, editMessage, pinMessage } from '../../src/domain/messages/index.js';
import { createRole, deleteRole, setRolePositions, updateRole } from '../../src/domain/roles/index.js';
import { createWebhook, deleteWebhook, updateWebhook } from '../../src/domain/webhooks/index.js';
import type { User } from '../../src/infra/database/index.js';
import { hearGuild } from '../harness/bus.js';
import { test } from '../harness/fixtures.js';
import { PIXEL } from '../harness/images.js';
import { outcome } from '../harness/outcome.js';
import { createPerson, putWebhooks } from '../harness/rows.js';
import { addMember, callOf, createBot, createGuild, say, type TestBot, type TestGuild } from '../harness/world.js';
import { toEdit } from './messages/scene.js';

/**
 * Concurrent operations must end like sequential ones: rows, audit entries and events agree. Each race is started in
 * both orders, several times.
 */

let app: AppContext;
let guild: TestGuild;
let owner: CallContext;
let application: TestBot;
let events: BusMessage[];
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
  application = await createBot(app, { owner: guild.owner });
  ({ events } = hearGuild({ app }, guild.id));
});

type Attempt = () => Promise<unknown>;

const TEN = Array.from({ length: 10 }, (_, n) => n);

/** Returns the outcomes in the order of `attempts`, which start in that order or in reverse. */
async function race(isReversed: boolean, attempts: readonly Attempt[]): Promise<string[]> {
  const order = isReversed ? [...attempts].reverse() : attempts;
  const ended = await Promise.all(order.map((attempt) => outcome(attempt())));
  return isReversed ? ended.reverse() : ended;
}

const entries = (action: string) => app.db.reader.auditEntry.count({ where: { guildId: guild.id, action } });
const told = (...types: string[]) => events.filter(({ type }) => types.includes(type)).length;

const role = () => createRole(owner, guild.id, { permissions: 0n });
const roleKey = (roleId: bigint) => ({ guildId: guild.id, roleId });
const emoji = async () => (await createEmoji(owner, { guildId: guild.id, name: 'wave', image: PIXEL })).emoji;
const webhook = async (channelId = guild.channel.id) =>
  (await createWebhook(owner, { applicationId: application.id, channelId, name: 'x' })).webhook;
const channel = () => createChannel(owner, guild.id, { name: 'x' });

async function member(): Promise<User> {
  const user = await createPerson(app);
  await addMember(app, guild.id, user);
  return user;
}
const memberKey = ({ id: userId }: User) => ({ guildId: guild.id, userId });

const newIds = (count: number) => Array.from({ length: count }, () => app.nextId());

/** An object with a maximum number. The test creates one less than that together, and then ten more with `make`. */
interface Limited {
  refusal: string;
  most: number;
  action: string;
  event: string;
  fill(count: number): Promise<unknown>;
  make(n: number): Promise<unknown>;
  count(): Promise<number>;
}

const LIMITED: Record<string, Limited> = {
  channels: {
    refusal: 'TOO_MANY_CHANNELS',
    most: 500,
    action: 'CHANNEL_CREATE',
    event: 'CHANNEL_CREATE',
    // A new guild has two channels.
    fill: (count) =>
      app.db.writer.channel.createMany({ data: newIds(count - 2).map((id) => ({ id, guildId: guild.id, name: 'x' })) }),
    make: () => createChannel(owner, guild.id, { name: 'last' }),
    count: () => app.db.reader.channel.count({ where: { guildId: guild.id } }),
  },
  roles: {
    refusal: 'LIMIT_EXCEEDED',
    most: 250,
    action: 'ROLE_CREATE',
    event: 'GUILD_ROLE_CREATE',
    fill: (count) =>
      app.db.writer.role.createMany({ data: newIds(count - 1).map((id) => ({ id, guildId: guild.id, name: 'x' })) }),
    make: () => createRole(owner, guild.id, { name: 'last' }),
    count: () => app.db.reader.role.count({ where: { guildId: guild.id } }),
  },
  emojis: {
    refusal: 'TOO_MANY_EMOJIS',
    most: 50,
    action: 'EMOJI_CREATE',
    event: 'GUILD_EMOJIS_UPDATE',
    fill: (count) =>
      app.db.writer.emoji.createMany({
        data: newIds(count).map((id) => ({ id, guildId: guild.id, name: 'x', creatorId: guild.owner.id, roleIds: [] })),
      }),
    make: () => emoji(),
    count: () => app.db.reader.emoji.count({ where: { guildId: guild.id } }),
  },
  invites: {
    refusal: 'LIMIT_EXCEEDED',
    most: 1_000,
    action: 'INVITE_CREATE',
    event: 'INVITE_CREATE',
    fill(count) {
      const facts = { guildId: guild.id, channelId: guild.channel.id, inviterId: guild.owner.id };
      const createdAt = new Date(app.clock.now());
      return app.db.writer.invite.createMany({
        data: newIds(count).map((id) => ({ code: `x${id}`, createdAt, ...facts })),
      });
    },
    make: () => createInvite(owner, guild.channel.id),
    count: () => app.db.reader.invite.count({ where: { guildId: guild.id } }),
  },
  pins: {
    refusal: 'TOO_MANY_PINS',
    most: 250,
    action: 'MESSAGE_PIN',
    event: 'CHANNEL_PINS_UPDATE',
    async fill(count) {
      const { id: channelId } = guild.channel;
      const ids = newIds(count);
      const message = { channelId, authorId: guild.owner.id, content: 'x', pinned: true };
      const lists = { embeds: [], components: [], mentionUserIds: [], mentionRoleIds: [] };
      await app.db.writer.message.createMany({ data: ids.map((id) => ({ id, ...message, ...lists })) });
      const pins = ids.map((messageId, n) => ({ messageId, channelId, pinnedAt: new Date(n) }));
      await app.db.writer.pin.createMany({ data: pins });
      toPin = [];
      for (const n of TEN) toPin.push((await say(app, guild, guild.owner, String(n))).id);
    },
    make: (n) => pinMessage(owner, { channelId: guild.channel.id, messageId: toPin[n] ?? 0n }),
    count: () => app.db.reader.pin.count({ where: { channelId: guild.channel.id } }),
  },
  webhooks: {
    refusal: 'TOO_MANY_WEBHOOKS',
    most: 50,
    action: 'WEBHOOK_CREATE',
    event: 'WEBHOOKS_UPDATE',
    fill(count) {
      const of = { guildId: guild.id, channelId: guild.channel.id, creatorId: guild.owner.id };
      return putWebhooks({ app }, count, { ...of, applicationId: application.id });
    },
    make: () => webhook(),
    count: () => app.db.reader.webhook.count({ where: { applicationId: application.id } }),
  },
  overwrites: {
    refusal: 'TOO_MANY_OVERWRITES',
    most: 1_000,
    action: 'CHANNEL_OVERWRITE_CREATE',
    event: 'CHANNEL_UPDATE',
    async fill(count) {
      const data = newIds(count).map((targetId) => ({ channelId: guild.channel.id, targetId, targetType: 1 }));
      await app.db.writer.channelOverwrite.createMany({ data });
      toAllow = [];
      for (const _ of TEN) toAllow.push((await role()).id);
    },
    make: allow,
    count: () => app.db.reader.channelOverwrite.count({ where: { channelId: guild.channel.id } }),
  },
  'overwrites of a guild': {
    refusal: 'TOO_MANY_OVERWRITES',
    most: 10_000,
    action: 'CHANNEL_OVERWRITE_CREATE',
    event: 'CHANNEL_UPDATE',
    async fill(count) {
      const channelIds = newIds(10);
      const [overwrites, channels] = [app.db.writer.channelOverwrite, app.db.writer.channel];
      await channels.createMany({ data: channelIds.map((id) => ({ id, guildId: guild.id, name: 'x' })) });
      const rows = newIds(count).map((targetId, n) => ({
        channelId: channelIds[n % 10] ?? 0n,
        targetId,
        targetType: 1,
      }));
      await overwrites.createMany({ data: rows });
      toAllow = [];
      for (const _ of TEN) toAllow.push((await role()).id);
    },
    make: allow,
    count: () => app.db.reader.channelOverwrite.count({ where: { channel: { guildId: guild.id } } }),
  },
};
let toPin: bigint[];
let toAllow: bigint[];

function allow(n: number) {
  const overwrite = { targetId: toAllow[n] ?? 0n, targetType: 0 as const, allow: 1024n, deny: 0n };
  return setChannelOverwrite(owner, guild.channel.id, overwrite);
}

describe('the last place goes to one of ten', () => {
  test.each(Object.entries(LIMITED))('new %s', async (_what, { refusal, most, action, event, fill, make, count }) => {
    await fill(most - 1);
    const [entriesBefore, toldBefore] = [await entries(action), told(event)];
    const ended = await race(
      false,
      TEN.map((n) => () => make(n)),
    );
    expect(ended.toSorted()).toEqual([...Array(9).fill(refusal), 'ok'].toSorted());
    expect(await count()).toBe(most);
    expect([(await entries(action)) - entriesBefore, told(event) - toldBefore]).toEqual([1, 1]);
  });
});

interface Ending {
  begin(): Promise<{
    ends: Attempt;
    others: Record<string, Attempt>;
    left(): Promise<number>;
    concerns(event: BusMessage): boolean;
  }>;
  /** The errors of operations that come too late. */
  tooLate: string[];
  /** The audit action of its end. */
  action: string;
  event: string;
}

const mentions =
  (...ids: bigint[]) =>
  ({ data }: BusMessage) =>
    ids.every((id) => data.includes(`"${id}"`));

const ENDINGS: Record<string, Ending> = {
  'a role': {
    async begin() {
      const { id } = await role();
      const user = await member();
      const target = { ...roleKey(id), ...memberKey(user) };
      return {
        ends: () => deleteRole(owner, roleKey(id)),
        others: {
          edit: () => updateRole(owner, { ...roleKey(id), name: 'other' }),
          give: () => addMemberRole(owner, target),
          take: () => removeMemberRole(owner, target),
          set: () => setMemberRoles(owner, { ...memberKey(user), roleIds: [id] }),
          sort: () => setRolePositions(owner, guild.id, [{ roleId: id, position: 1 }]),
          overwrite: () =>
            setChannelOverwrite(owner, guild.channel.id, { targetId: id, targetType: 0, allow: 1024n, deny: 0n }),
        },
        left: async () =>
          (await app.db.reader.role.count({ where: { id } })) +
          (await app.db.reader.memberRole.count({ where: { roleId: id } })) +
          (await app.db.reader.channelOverwrite.count({ where: { targetId: id } })),
        concerns: mentions(id),
      };
    },
    tooLate: ['UNKNOWN_ROLE', 'UNKNOWN_OVERWRITE'],
    action: 'ROLE_DELETE',
    event: 'GUILD_ROLE_DELETE',
  },
  'a channel': {
    async begin() {
      const { id } = await channel();
      const { id: targetId } = await role();
      return {
        ends: () => deleteChannel(owner, id),
        others: {
          edit: () => updateChannel(owner, id, { name: 'other' }),
          sort: () => setChannelPositions(owner, guild.id, [{ channelId: id, position: 7 }]),
          overwrite: () => setChannelOverwrite(owner, id, { targetId, targetType: 0, allow: 1024n, deny: 0n }),
          invite: () => createInvite(owner, id),
          hook: () => webhook(id),
          system: () => updateGuild(owner, { guildId: guild.id, systemChannelId: id }),
        },
        left: async () =>
          (await app.db.reader.channel.count({ where: { id, guildId: guild.id } })) +
          (await app.db.reader.channelOverwrite.count({ where: { channelId: id } })) +
          (await app.db.reader.invite.count({ where: { channelId: id } })) +
          (await app.db.reader.guild.count({ where: { systemChannelId: id } })),
        concerns: mentions(id),
      };
    },
    tooLate: ['UNKNOWN_CHANNEL', 'INVALID_INPUT'],
    action: 'CHANNEL_DELETE',
    event: 'CHANNEL_DELETE',
  },
  'a message': {
    async begin() {
      const author = await member();
      const { id: messageId } = await say(app, guild, author, 'hello');
      const key = { channelId: guild.channel.id, messageId };
      return {
        ends: () => deleteMessage(owner, key),
        others: {
          edit: () => editMessage(callOf(app, author), { ...key, body: toEdit({ content: 'other' }) }),
          react: () => addReaction(owner, { ...key, emoji: '👍' }),
          pin: () => pinMessage(owner, key),
        },
        left: async () =>
          (await app.db.reader.message.count({ where: { id: messageId } })) +
          (await app.db.reader.reaction.count({ where: { messageId } })) +
          (await app.db.reader.pin.count({ where: { messageId } })),
        concerns: mentions(messageId),
      };
    },
    tooLate: ['UNKNOWN_MESSAGE'],
    action: 'MESSAGE_DELETE',
    event: 'MESSAGE_DELETE',
  },
  'an emoji': {
    async begin() {
      const { id: emojiId } = await emoji();
      const key = { guildId: guild.id, emojiId };
      return {
        ends: () => deleteEmoji(owner, key),
        others: {
          edit: () => updateEmoji(owner, key, { name: 'other' }),
          again: () => updateEmoji(owner, key, { name: 'another' }),
        },
        left: () => app.db.reader.emoji.count({ where: { id: emojiId } }),
        concerns: mentions(emojiId),
      };
    },
    tooLate: ['UNKNOWN_GUILD_EMOJI'],
    action: 'EMOJI_DELETE',
    event: 'GUILD_EMOJIS_UPDATE',
  },
  'a webhook': {
    async begin() {
      const { id } = await webhook();
      const { id: channelId } = await channel();
      return {
        ends: () => deleteWebhook(owner, id),
        others: {
          name: () => updateWebhook(owner, id, { name: 'other' }),
          move: () => updateWebhook(owner, id, { channelId }),
        },
        left: () => app.db.reader.webhook.count({ where: { id, deletedAt: null } }),
        concerns: ({ type }) => type === 'WEBHOOKS_UPDATE',
      };
    },
    tooLate: ['UNKNOWN_WEBHOOK'],
    action: 'WEBHOOK_DELETE',
    event: 'WEBHOOKS_UPDATE',
  },
  'a membership, by a kick': {
    async begin() {
      const user = await member();
      const { id: roleId } = await role();
      return {
        ends: () => kickMember(owner, memberKey(user)),
        others: {
          name: () => updateMember(owner, { ...memberKey(user), nick: 'other' }),
          give: () => addMemberRole(owner, { ...memberKey(user), roleId }),
          set: () => setMemberRoles(owner, { ...memberKey(user), roleIds: [roleId] }),
        },
        left: async () =>
          (await app.db.reader.member.count({ where: memberKey(user) })) +
          (await app.db.reader.memberRole.count({ where: memberKey(user) })),
        concerns: (event) => event.type.startsWith('GUILD_MEMBER') && mentions(user.id)(event),
      };
    },
    tooLate: ['UNKNOWN_MEMBER'],
    action: 'MEMBER_KICK',
    event: 'GUILD_MEMBER_REMOVE',
  },
  'an invite': {
    async begin() {
      const { code } = await createInvite(owner, guild.channel.id, { maxUses: 1 });
      return {
        ends: () => deleteInvite(owner, code),
        others: {},
        left: () => app.db.reader.invite.count({ where: { code } }),
        concerns: ({ data }) => data.includes(code),
      };
    },
    tooLate: [],
    action: 'INVITE_DELETE',
    event: 'INVITE_DELETE',
  },
};

const ORDERS = [false, true, false, true];

describe('an end during other operations happens once, and leaves no rows and no later events:', () => {
  test.each(Object.entries(ENDINGS))('the end of %s', async (_what, { begin, tooLate, action, event }) => {
    for (const isReversed of ORDERS) {
      const { ends, others, left, concerns } = await begin();
      const [entriesBefore, eventsBefore] = [await entries(action), events.length];
      const names = Object.keys(others);
      const ended = await race(isReversed, [ends, ends, ...Object.values(others)]);
      const gone = ended.slice(0, 2).toSorted();
      expect(gone[1]).toBe('ok');
      expect(gone[0]).toMatch(/^UNKNOWN_/);
      for (const [n, name] of names.entries()) {
        expect(['ok', ...tooLate], `${name} ended so`).toContain(ended[n + 2]);
      }
      expect(await left()).toBe(0);
      expect((await entries(action)) - entriesBefore).toBe(1);
      const about = events.slice(eventsBefore).filter(({ type }) => type !== 'GUILD_AUDIT_LOG_ENTRY_CREATE');
      const end = about.findLastIndex((one) => one.type === event);
      expect(
        about
          .slice(end + 1)
          .filter(concerns)
          .map(({ type }) => type),
      ).toEqual([]);
      if (event.endsWith('DELETE') || event.endsWith('REMOVE')) {
        expect(about.filter((one) => one.type === event && concerns(one))).toHaveLength(1);
      }
    }
  });
});

describe('a membership', () => {
  test('ends with one event if the user leaves, is kicked and is banned at once', async () => {
    for (const isReversed of ORDERS) {
      const user = await member();
      const toldBefore = told('GUILD_MEMBER_REMOVE');
      const kicksBefore = await entries('MEMBER_KICK');
      const [left, kicked, banned] = await race(isReversed, [
        () => leaveGuild(callOf(app, user), guild.id),
        () => kickMember(owner, memberKey(user)),
        () => banMember(owner, memberKey(user)),
      ]);
      expect(['ok', 'UNKNOWN_GUILD']).toContain(left);
      expect(['ok', 'UNKNOWN_MEMBER']).toContain(kicked);
      expect(banned).toBe('ok');
      expect((await entries('MEMBER_KICK')) - kicksBefore).toBe(kicked === 'ok' ? 1 : 0);
      expect(told('GUILD_MEMBER_REMOVE') - toldBefore).toBe(1);
      expect(await app.db.reader.member.count({ where: memberKey(user) })).toBe(0);
      expect(await app.db.reader.ban.count({ where: memberKey(user) })).toBe(1);
    }
  });

  test('does not exist if the user is banned during a join', async () => {
    for (const isReversed of ORDERS) {
      const user = await createPerson(app);
      const { code } = await createInvite(owner, guild.channel.id);
      const [added, removed] = [told('GUILD_MEMBER_ADD'), told('GUILD_MEMBER_REMOVE')];
      const [joined] = await race(isReversed, [
        () => joinGuild(callOf(app, user), code),
        () => banMember(owner, memberKey(user)),
      ]);
      expect(['ok', 'BANNED']).toContain(joined);
      const was = joined === 'ok' ? 1 : 0;
      expect([told('GUILD_MEMBER_ADD') - added, told('GUILD_MEMBER_REMOVE') - removed]).toEqual([was, was]);
      expect(await app.db.reader.member.count({ where: memberKey(user) })).toBe(0);
    }
  });

  test('exists unless the join is refused, if the ban is lifted during a join', async () => {
    for (const isReversed of ORDERS) {
      const user = await createPerson(app);
      await banMember(owner, memberKey(user));
      const { code } = await createInvite(owner, guild.channel.id);
      const [joined, lifted] = await race(isReversed, [
        () => joinGuild(callOf(app, user), code),
        () => unbanMember(owner, memberKey(user)),
      ]);
      expect(lifted).toBe('ok');
      expect(['ok', 'BANNED']).toContain(joined);
      expect(await app.db.reader.member.count({ where: memberKey(user) })).toBe(joined === 'ok' ? 1 : 0);
    }
  });

  test('exists, or the invite is unknown, if the invite is deleted during a join', async () => {
    for (const isReversed of ORDERS) {
      const user = await createPerson(app);
      const { code } = await createInvite(owner, guild.channel.id, { maxUses: 1 });
      const ends = told('INVITE_DELETE');
      const [joined, deleted] = await race(isReversed, [
        () => joinGuild(callOf(app, user), code),
        () => deleteInvite(owner, code),
      ]);
      expect([joined, deleted].toSorted()).toEqual(['UNKNOWN_INVITE', 'ok']);
      expect(told('INVITE_DELETE') - ends).toBe(1);
      expect(await app.db.reader.member.count({ where: memberKey(user) })).toBe(joined === 'ok' ? 1 : 0);
    }
  });
});

describe('a deleted server publishes no events after its end', () => {
  const CREATED: Record<string, () => Promise<Attempt>> = {
    'a channel': async () => () => createChannel(owner, guild.id, { name: 'late' }),
    'a role': async () => () => createRole(owner, guild.id, { name: 'late' }),
    'an emoji': async () => () => emoji(),
    'an invite': async () => () => createInvite(owner, guild.channel.id),
    'a webhook': async () => {
      application = await createBot(app, { owner: guild.owner });
      return () => webhook();
    },
    'a membership': async () => {
      const [user, { code }] = [await createPerson(app), await createInvite(owner, guild.channel.id)];
      return () => joinGuild(callOf(app, user), code);
    },
    'a ban': async () => {
      const user = await createPerson(app);
      return () => banMember(owner, memberKey(user));
    },
    'a name': async () => () => updateGuild(owner, { guildId: guild.id, name: 'late' }),
    'a change of a role': async () => {
      const { id } = await role();
      return () => updateRole(owner, { ...roleKey(id), name: 'late' });
    },
    'a message': async () => () => say(app, guild, guild.owner, 'late'),
    'a kick': async () => {
      const user = await member();
      return () => kickMember(owner, memberKey(user));
    },
  };

  test.each(Object.entries(CREATED))('during an operation: %s', async (_what, begin) => {
    for (const isReversed of ORDERS) {
      guild = await createGuild(app);
      owner = callOf(app, guild.owner);
      const attempt = await begin();
      ({ events } = hearGuild({ app }, guild.id));
      const [deleted, other] = await race(isReversed, [() => deleteGuild(owner, guild.id), attempt]);
      expect(deleted).toBe('ok');
      expect(other).toMatch(/^(ok|UNKNOWN_(GUILD|CHANNEL|INVITE))$/);
      // A message is stored by one statement without checks. It is removed with its channel, and no client has the
      // server any more.
      const types = events.map(({ type }) => type).filter((type) => type !== 'MESSAGE_CREATE');
      expect(types.slice(types.indexOf('GUILD_DELETE') + 1)).toEqual([]);
      expect(await app.db.reader.channel.count({ where: { guildId: guild.id } })).toBe(0);
      expect(await app.db.reader.invite.count({ where: { guildId: guild.id } })).toBe(0);
      expect(await app.db.reader.emoji.count({ where: { guildId: guild.id } })).toBe(0);
    }
  });
});
