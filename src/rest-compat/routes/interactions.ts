import { z } from 'zod';
import { snowflake } from '../../domain/input.js';
import {
  type AnswerKey,
  answerByToken,
  createFollowUp,
  deleteAnswer,
  editAnswer,
  getAnswer,
  noteRefusedAnswer,
} from '../../domain/interactions/index.js';
import type { MessageRecord } from '../../domain/messages/index.js';
import { renderCallbackResponse } from '../../wire/interaction-callbacks.js';
import { renderMessage } from '../../wire/messages.js';
import { withToken } from '../buckets.js';
import { InteractionCallback } from '../interaction-callback.js';
import { EditMessageBody, SendMessageBody } from '../message-body.js';
import { CLOUD, type RenderContext, route } from '../route.js';
import { queryBoolean } from '../schemas.js';

const token = z.string();

const ofFollowUp = { webhookId: snowflake(), token };

const ofMessage = z.object({
  ...ofFollowUp,
  messageId: z.union([z.literal('@original'), snowflake()]).transform((key): AnswerKey => key),
});

const renderAnswer = (message: MessageRecord, { app }: RenderContext) => renderMessage(message, app.addresses);

/** Whoever has the token may send files. */
const anyFiles = async () => {};

export const interactionRoutes = [
  route({
    method: 'POST',
    path: '/interactions/:interactionId/:token/callback',
    callers: ['interactionToken'],
    bucket: withToken('interaction-callback', 'interactionId', 'token'),
    where: CLOUD,
    params: z.object({ interactionId: snowflake(), token }),
    query: z.object({ with_response: queryBoolean }),
    body: InteractionCallback,
    admitFiles: anyFiles,
    noteRefusal: noteRefusedAnswer,
    status: { oneOf: [200, 204], of: ({ isShown }) => (isShown ? 200 : 204) },
    async run(call, { query, body, files }) {
      const answer = await answerByToken(call, { callback: body, files });
      return { answer, isShown: query.with_response };
    },
    render: ({ answer }, { app }) => renderCallbackResponse(answer, app.addresses),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:webhookId/:token',
    callers: ['interactionToken'],
    bucket: withToken('webhook', 'webhookId', 'token'),
    where: CLOUD,
    params: z.object(ofFollowUp),
    body: SendMessageBody,
    admitFiles: anyFiles,
    noteRefusal: noteRefusedAnswer,
    run: (call, { body, files }) => createFollowUp(call, { message: body, files }),
    render: renderAnswer,
  }),
  route({
    method: 'GET',
    path: '/webhooks/:webhookId/:token/messages/:messageId',
    callers: ['interactionToken'],
    bucket: withToken('webhook-message', 'webhookId', 'token'),
    where: CLOUD,
    params: ofMessage,
    run: (call, { params }) => getAnswer(call, params.messageId),
    render: renderAnswer,
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:webhookId/:token/messages/:messageId',
    callers: ['interactionToken'],
    bucket: withToken('webhook-message', 'webhookId', 'token'),
    where: CLOUD,
    params: ofMessage,
    body: EditMessageBody,
    admitFiles: anyFiles,
    noteRefusal: noteRefusedAnswer,
    run: (call, { params, body, files }) => editAnswer(call, { key: params.messageId, edit: body, files }),
    render: renderAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:webhookId/:token/messages/:messageId',
    callers: ['interactionToken'],
    bucket: withToken('webhook-message', 'webhookId', 'token'),
    where: CLOUD,
    params: ofMessage,
    noteRefusal: noteRefusedAnswer,
    run: (call, { params }) => deleteAnswer(call, params.messageId),
  }),
];
