import type { APIMessage } from 'discord-api-types/v10';
import { z } from 'zod';
import { firstOf, snowflake } from '../../domain/input.js';
import { limits } from '../../domain/limits.js';
import {
  contentReaders,
  contentShownTo,
  deleteMessage,
  deleteMessages,
  editMessage,
  getMessage,
  listMessages,
  type MessageRecord,
  requireEditing,
  requireSending,
  sendMessage,
} from '../../domain/messages/index.js';
import { messageAs, renderMessage } from '../../wire/messages.js';
import { DELETE_MESSAGES, DELETE_MESSAGES_IN_BULK, EDIT_MESSAGES, reads, SEND_MESSAGES } from '../buckets.js';
import { EditMessageBody, SendMessageBody } from '../message-body.js';
import { onServerOf, type RenderContext, route } from '../route.js';
import { ids, queryId, queryInteger } from '../schemas.js';

export function renderFor(message: MessageRecord, { app, call: { actor } }: RenderContext): APIMessage {
  const readsAll = actor.kind !== 'bot' || actor.messageContentIntent;
  const shown = readsAll ? 'whole' : contentShownTo(String(actor.user.id), contentReaders(message));
  return messageAs(shown, renderMessage(message, app.addresses));
}

export const messageRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channelId/messages',
    summary: "List a channel's messages",
    description: 'Newest first.',
    callers: ['bot'],
    bucket: reads('list-messages', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    query: z.object({ before: queryId, after: queryId, around: queryId, limit: queryInteger(1, 100, 50) }),
    run: (call, { params, query }) => listMessages(call, { ...params, ...query }),
    render: (messages, context) => messages.map((message) => renderFor(message, context)),
  }),
  route({
    method: 'GET',
    path: '/channels/:channelId/messages/:messageId',
    summary: 'Get a message',
    callers: ['bot'],
    bucket: reads('get-message', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId', 'messageId'),
    run: (call, { params }) => getMessage(call, params),
    render: renderFor,
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/messages',
    summary: 'Send a message',
    description: 'As JSON, or as `multipart/form-data` with files.',
    callers: ['bot'],
    bucket: SEND_MESSAGES,
    where: onServerOf('channelId'),
    params: ids('channelId'),
    body: SendMessageBody,
    faultNames: { reference: 'message_reference' },
    admitFiles: (call, { channelId }) => requireSending(call, { channelId, files: 1 }),
    run: (call, { params, body, files }) => sendMessage(call, { ...params, body, files }),
    render: renderFor,
  }),
  route({
    method: 'PATCH',
    path: '/channels/:channelId/messages/:messageId',
    summary: 'Edit a message',
    callers: ['bot'],
    bucket: EDIT_MESSAGES,
    where: onServerOf('channelId'),
    params: ids('channelId', 'messageId'),
    body: EditMessageBody,
    admitFiles: requireEditing,
    run: (call, { params, body, files }) => editMessage(call, { ...params, body, files }),
    render: renderFor,
  }),
  route({
    method: 'DELETE',
    path: '/channels/:channelId/messages/:messageId',
    summary: 'Delete a message',
    callers: ['bot'],
    bucket: DELETE_MESSAGES,
    where: onServerOf('channelId'),
    params: ids('channelId', 'messageId'),
    run: (call, { params }) => deleteMessage(call, params),
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/messages/bulk-delete',
    summary: 'Delete 2 to 100 messages',
    description: 'Messages older than 2 weeks are refused.',
    callers: ['bot'],
    bucket: DELETE_MESSAGES_IN_BULK,
    where: onServerOf('channelId'),
    params: ids('channelId'),
    body: z.object({ messages: firstOf(limits.messagesPerBulkDelete.max + 1, snowflake()) }),
    faultNames: { messageIds: 'messages' },
    run: (call, { params, body }) => deleteMessages(call, { ...params, messageIds: body.messages }),
  }),
];
