import { GatewayDispatchEvents, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import type { BusMessage, EventName } from '../../src/domain/bus-message.js';
import type { User } from '../../src/infra/database/index.js';
import { EVENTS, renderEvent } from '../../src/wire/events/index.js';
import { PLAIN_MESSAGE } from '../harness/guild-home.js';
import { PLAIN_MEMBER } from '../harness/plain-columns.js';

const options = { publicUrl: 'https://chat.example', signatures: { sign: (path: string) => path } };
const user: User = {
  id: 7n,
  username: 'a',
  handle: 'a',
  globalName: 'A',
  avatarHash: null,
  bot: false,
  deletedAt: null,
};
const place = { guildId: 1n, channelId: 2n, messageId: 3n };

const message = (guildId: bigint | null) => ({
  id: 3n,
  channelId: 2n,
  guildId,
  authorId: user.id,
  author: user,
  ...PLAIN_MESSAGE,
});

const names = Object.keys(EVENTS) as EventName[];

describe('an event', () => {
  test('has the audience and topics of its row, with ids and bits as text', () => {
    const { topics, message: sent } = renderEvent(
      { type: 'MESSAGE_CREATE', message: message(1n), member: null },
      options,
    );
    expect(topics).toEqual(['guild:1']);
    const expected: Partial<BusMessage> = {
      type: 'MESSAGE_CREATE',
      audience: { intent: Intent.GuildMessages, inChannel: '1024' },
      invalidates: ['last-message'],
      guildId: '1',
      channelId: '2',
    };
    expect(sent).toMatchObject(expected);
    expect(sent.content?.readers).toEqual({ authorId: '7', mentionedUserIds: [] });
    expect(JSON.parse(JSON.stringify(sent))).toEqual(sent);
  });

  test.each([
    [{ type: 'GUILD_ROLE_DELETE', guildId: 1n, roleId: 2n }, ['guild:1']],
    [{ type: 'GUILD_MEMBER_REMOVE', guildId: 1n, user }, ['guild:1']],
    [{ type: 'MESSAGE_DELETE', ...place }, ['guild:1']],
    [{ type: 'GUILD_LEFT', guildId: 1n, userId: 7n }, ['user:7']],
    [{ type: 'BOT_TOKEN_RESET', applicationId: 5n }, ['application:5']],
    [{ type: 'TEAM_UPDATED', teamId: 6n }, ['team:6']],
    [{ type: 'SESSION_ENDED', userId: 7n }, ['sessions']],
  ] as const)('%o has the topics %o', (event, topics) => {
    expect(renderEvent(event, options).topics).toEqual(topics);
  });

  test.each(names.filter((name) => EVENTS[name].topic === 'guild'))(
    '%s has the facts topic of its guild if it changes permissions, and the guild topic otherwise',
    (name) => {
      const row = EVENTS[name];
      const decides = row.invalidates.some((what) => what === 'view' || what === 'member');
      expect(decides).toBe(/^(MEMBERSHIP|GUILD_(UPDATE|DELETE|ROLE|MEMBER)|CHANNEL_(CREATE|UPDATE|DELETE))/.test(name));
    },
  );

  test('of the platform itself is marked as internal', () => {
    const ofTheGateway: string[] = Object.values(GatewayDispatchEvents);
    expect(names.filter((name) => EVENTS[name].audience !== null)).toEqual(
      names.filter((name) => ofTheGateway.includes(name)),
    );
  });

  test('of a direct channel is sent to each recipient, by the direct intent, with full content', () => {
    const recipientIds = [7n, 8n];
    const event = { type: 'MESSAGE_CREATE', message: message(null), member: null, recipientIds } as const;
    const { topics, message: sent } = renderEvent(event, options);
    expect(topics).toEqual(['user:7', 'user:8']);
    expect(sent).toMatchObject({ audience: { intent: Intent.DirectMessages } });
    expect(sent.audience).not.toHaveProperty('inChannel');
    expect(sent.content).toBeUndefined();
    expect(JSON.parse(sent.data)).toMatchObject({ content: 'hello' });
  });

  test('of a message (G-61) omits reactions, which depend on the reader, also in the referenced message', () => {
    const reacted = { ...message(1n), reactions: [{ emoji: '👍', count: 1, me: true }] };
    const reply = { ...reacted, id: 4n, referenceId: 3n, referenced: reacted };
    const { message: sent } = renderEvent({ type: 'MESSAGE_CREATE', message: reply, member: null }, options);
    const d = JSON.parse(sent.data);
    expect(d.referenced_message.id).toBe('3');
    for (const one of [d, d.referenced_message]) expect(one).not.toHaveProperty('reactions');
  });

  test('of an ephemeral message is sent to its user and its bot, as in a direct channel, and not to the guild', () => {
    const ephemeral = { ...message(1n), visibleToId: 7n, applicationId: 8n };
    const member = { ...PLAIN_MEMBER, userId: 7n, guildId: 1n, joinedAt: new Date(0), roleIds: [] };
    const event = { type: 'MESSAGE_UPDATE', message: ephemeral, member, recipientIds: [7n, 8n] } as const;
    const { topics, message: sent } = renderEvent(event, options);
    expect(topics).toEqual(['user:7', 'user:8']);
    expect(sent).toMatchObject({ audience: { intent: Intent.DirectMessages }, channelId: '2' });
    expect(sent).not.toHaveProperty('guildId');
    expect(sent.content).toBeUndefined();
    const d = JSON.parse(sent.data);
    expect(d).toMatchObject({ content: 'hello', application_id: '8', webhook_id: '8' });
    expect(d).not.toHaveProperty('guild_id');
    expect(d).not.toHaveProperty('member');
  });

  test.each([
    ['a guild message have the clock', { ...message(1n) }, 5],
    ['an ephemeral message have no clock', { ...message(1n), visibleToId: 7n }, undefined],
    ['a direct message have no clock', { ...message(null) }, undefined],
  ])('the embedded objects of %s of the guild, whose stream it may be', (_of, sent, asOf) => {
    const member = { ...PLAIN_MEMBER, userId: 7n, guildId: 1n, joinedAt: new Date(0), roleIds: [] };
    const event = { type: 'MESSAGE_CREATE', message: sent, member, recipientIds: [7n], asOf: 5 } as const;
    expect(renderEvent(event, options).message.embedded?.asOf).toBe(asOf);
  });
});
