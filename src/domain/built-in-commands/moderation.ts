import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { banMember } from '../bans/create.js';
import { unbanMember } from '../bans/delete.js';
import type { CallContext } from '../call.js';
import { hasSlowMode } from '../channels/settings.js';
import { updateChannel } from '../channels/update.js';
import { DomainError } from '../errors.js';
import { accessChannel } from '../guilds/access.js';
import { kickMember } from '../members/remove.js';
import { deleteMessages, mayBeDeletedInBulk } from '../messages/bulk-delete.js';
import { deleteMessage } from '../messages/delete.js';
import { listMessages } from '../messages/list.js';
import {
  type BuiltInAnswer,
  type BuiltInCommand,
  type Given,
  type Invocation,
  type NameIn,
  privately,
  required,
} from './command.js';
import { requireServer } from './place.js';

const WHOM = { type: Type.User, name: 'user', description: 'User', required: true };
const WHY = { type: Type.String, name: 'reason', description: 'Reason for the audit log', max_length: 512 };

export const MODERATION = {
  ban: {
    description: 'Ban a user from the server',
    options: [
      WHOM,
      WHY,
      {
        type: Type.Integer,
        name: 'delete_days',
        description: 'Number of days of messages to delete (0–7)',
        min_value: 0,
        max_value: 7,
      },
    ],
    run: ban,
  },
  unban: { description: 'Lift the ban of a user', options: [WHOM, WHY], run: unban },
  kick: { description: 'Remove a member from the server', options: [WHOM, WHY], run: kick },
  clear: {
    description: 'Delete the newest messages in this channel',
    options: [
      {
        type: Type.Integer,
        name: 'count',
        description: 'Number of messages (1–100)',
        required: true,
        min_value: 1,
        max_value: 100,
      },
    ],
    run: clear,
  },
  slowmode: {
    description: 'Set the slow mode of this channel',
    options: [
      {
        type: Type.Integer,
        name: 'seconds',
        description: 'Seconds between messages, up to 21600 (six hours). 0 turns slow mode off.',
        required: true,
        min_value: 0,
        max_value: 21_600,
      },
    ],
    run: slowmode,
  },
} satisfies Record<NameIn<'moderation'>, BuiltInCommand>;

const DAY_SECONDS = 86_400;

async function ban({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const { guildId } = requireServer(place);
  const { id: userId } = required(given.user('user'));
  const deleteMessageSeconds = (given.number('delete_days') ?? 0) * DAY_SECONDS;
  const isNew = await banMember(reasoned(call, given), { guildId, userId, deleteMessageSeconds });
  return privately(isNew ? `<@${userId}> is now banned.` : `<@${userId}> was already banned.`);
}

async function unban({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const { guildId } = requireServer(place);
  const { id: userId } = required(given.user('user'));
  await unbanMember(reasoned(call, given), { guildId, userId });
  return privately(`<@${userId}> is no longer banned.`);
}

async function kick({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const { guildId } = requireServer(place);
  const { id: userId } = required(given.user('user'));
  await kickMember(reasoned(call, given), { guildId, userId });
  return privately(`<@${userId}> is no longer a member.`);
}

function reasoned(call: CallContext, given: Given): CallContext {
  const reason = given.text('reason');
  return reason === undefined ? call : call.because(reason);
}

async function clear({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const { channelId } = requireServer(place);
  const count = await deleteNewest(call, channelId, required(given.number('count')));
  return privately(count === 1 ? 'Deleted 1 message.' : `Deleted ${count} messages.`);
}

/** Skips messages that are too old for bulk deletion. @returns number of deleted messages */
async function deleteNewest(call: CallContext, channelId: bigint, count: number): Promise<number> {
  await accessChannel(call, channelId, 'deleteMessages');
  const messages = await listMessages(call, { channelId, limit: count });
  const messageIds = messages.map(({ id }) => id).filter((id) => mayBeDeletedInBulk(call, id));
  const [only, ...others] = messageIds;
  if (only === undefined) return 0;
  if (others.length === 0) await deleteMessage(call, { channelId, messageId: only });
  else await deleteMessages(call, { channelId, messageIds });
  return messageIds.length;
}

async function slowmode({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const { channelId } = requireServer(place);
  const seconds = required(given.number('seconds'));
  const { channel } = await updateChannel(call, channelId, { rateLimitPerUser: seconds });
  if (!hasSlowMode(channel.type)) throw withoutSlowMode();
  return privately(seconds === 0 ? 'Slow mode is off.' : `Slow mode is on: one message every ${seconds} s.`);
}

function withoutSlowMode(): DomainError {
  return new DomainError('WRONG_CHANNEL_TYPE', 'Announcement channels do not have slow mode.');
}
