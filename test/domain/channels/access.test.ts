import { ChannelType } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import {
  type DirectChannelAccess,
  eventChannel,
  type GuildChannelAccess,
  memberIn,
  permissionsIn,
  requireText,
} from '../../../src/domain/channels/access.js';
import { neededInChannel } from '../../../src/domain/guild-operations.js';
import { managesMessages, operationsToSend } from '../../../src/domain/messages/rights.js';
import { ALL_PERMISSIONS, allows, Permission } from '../../../src/domain/permissions.js';
import { PLAIN_MEMBER } from '../../harness/plain-columns.js';
import { toSend } from '../../harness/world.js';

const member = { ...PLAIN_MEMBER, joinedAt: new Date(0), roleIds: [] };
const direct: DirectChannelAccess = { kind: 'direct', channelId: 1n, recipientIds: [2n, 3n] };
const guild: GuildChannelAccess = {
  kind: 'guild',
  channelId: 1n,
  guildId: 4n,
  type: ChannelType.GuildText,
  rateLimitPerUser: 0,
  member,
  permissions: ALL_PERMISSIONS,
  asOf: 0,
};

describe('a direct channel', () => {
  test('has its recipients and no guild in events', () => {
    expect(eventChannel(direct)).toEqual({ guildId: null, channelId: 1n, recipientIds: [2n, 3n] });
    expect(memberIn(direct)).toBeNull();
  });

  test.each([
    ['a message', toSend({ content: 'x' })],
    ['an embed', toSend({ embeds: [{ title: 'x' }] })],
    ['a reply', toSend({ content: 'x', message_reference: { message_id: '1' } })],
  ])('accepts %s from a recipient', (_, body) => {
    requireText(direct);
    expect(allows(permissionsIn(direct), neededInChannel(operationsToSend(body, [])))).toBe(true);
  });

  test("does not allow managing others' messages, mass mentions or text-to-speech", () => {
    expect(managesMessages(direct)).toBe(false);
    const { MentionEveryone, SendTTSMessages, Administrator } = Permission;
    for (const bit of [MentionEveryone, SendTTSMessages, Administrator]) {
      expect(allows(permissionsIn(direct), bit)).toBe(false);
    }
  });
});

describe('a channel of a guild', () => {
  test('has its guild and no recipients in events', () => {
    expect(eventChannel(guild)).toEqual({ guildId: 4n, channelId: 1n });
    expect(memberIn(guild)).toBe(member);
  });

  test('uses the permissions of the member in it', () => {
    expect(permissionsIn({ ...guild, permissions: Permission.SendMessages })).toBe(Permission.SendMessages);
    expect(managesMessages(guild)).toBe(true);
    expect(managesMessages({ ...guild, permissions: ALL_PERMISSIONS & ~Permission.ManageMessages })).toBe(false);
  });

  test.each([
    [ChannelType.GuildText, true],
    [ChannelType.GuildVoice, true],
    [ChannelType.GuildAnnouncement, true],
    [ChannelType.GuildStageVoice, true],
    [ChannelType.GuildCategory, false],
    [ChannelType.GuildForum, false],
  ])('of type %i holds messages: %s', (type, holds) => {
    const refusal = expect(() => requireText({ ...guild, type }));
    if (holds) refusal.not.toThrow();
    else refusal.toThrow(expect.objectContaining({ code: 'WRONG_CHANNEL_TYPE' }));
  });
});
