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
import { reads, writes } from '../buckets.js';
import { InteractionCallback } from '../interaction-callback.js';
import { EditAnswerBody, SendAnswerBody } from '../message-body.js';
import { CLOUD, type RenderContext, route } from '../route.js';
import { queryBoolean } from '../schemas.js';

/** Where a follow-up goes, and where it is changed: the first answer by its name, the others by their ids. */
const FOLLOW_UPS = '/webhooks/:webhookId/:webhookToken';

const ofFollowUp = { webhookId: snowflake(), webhookToken: z.string() };

const renderAnswer = (message: MessageRecord, { app }: RenderContext) => renderMessage(message, app.addresses);

/** Whoever has the token may send files. */
const anyFiles = async () => {};

export const interactionRoutes = [
  route({
    method: 'POST',
    path: '/interactions/:interactionId/:interactionToken/callback',
    callers: ['interactionToken'],
    bucket: writes('interaction-callback', 'interactionId', 'interactionToken'),
    where: CLOUD,
    params: z.object({ interactionId: snowflake(), interactionToken: z.string() }),
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
    path: FOLLOW_UPS,
    callers: ['interactionToken'],
    bucket: writes('create-follow-up', 'webhookId', 'webhookToken'),
    where: CLOUD,
    params: z.object(ofFollowUp),
    body: SendAnswerBody,
    admitFiles: anyFiles,
    noteRefusal: noteRefusedAnswer,
    run: (call, { body, files }) => createFollowUp(call, { message: body, files }),
    render: renderAnswer,
  }),
  ...answerRoutes('@original', z.object(ofFollowUp), () => '@original'),
  ...answerRoutes(':messageId', z.object({ ...ofFollowUp, messageId: snowflake() }), ({ messageId }) => messageId),
];

/** The rows of one of the answers, however it is named. All ways to change it share a bucket. */
function answerRoutes<Params extends z.ZodType<Record<string, unknown>>>(
  name: '@original' | ':messageId',
  params: Params,
  keyOf: (params: z.output<Params>) => AnswerKey,
) {
  const path = `${FOLLOW_UPS}/messages/${name}`;
  const row = { path, callers: ['interactionToken'], where: CLOUD, params } as const;
  return [
    route({
      ...row,
      method: 'GET',
      bucket: reads('get-answer', 'webhookId', 'webhookToken'),
      run: (call, input) => getAnswer(call, keyOf(input.params)),
      render: renderAnswer,
    }),
    route({
      ...row,
      method: 'PATCH',
      bucket: writes('change-answer', 'webhookId', 'webhookToken'),
      body: EditAnswerBody,
      admitFiles: anyFiles,
      noteRefusal: noteRefusedAnswer,
      run: (call, { body, files, ...input }) => editAnswer(call, { key: keyOf(input.params), edit: body, files }),
      render: renderAnswer,
    }),
    route({
      ...row,
      method: 'DELETE',
      bucket: writes('change-answer', 'webhookId', 'webhookToken'),
      noteRefusal: noteRefusedAnswer,
      run: (call, input) => deleteAnswer(call, keyOf(input.params)),
    }),
  ];
}
