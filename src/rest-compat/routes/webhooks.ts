import type { IncomingHttpHeaders } from 'node:http';
import type { APIMessage } from 'discord-api-types/v10';
import { z } from 'zod';
import { type CallContext, requireUser } from '../../domain/call.js';
import { DomainError, invalidInput } from '../../domain/errors.js';
import { snowflake } from '../../domain/input.js';
import {
  type AnswerKey,
  createFollowUp,
  deleteAnswer,
  editAnswer,
  getAnswer,
  noteRefusedAnswer,
} from '../../domain/interactions/index.js';
import type { MessageRecord } from '../../domain/messages/index.js';
import { parseInput } from '../../domain/parse-input.js';
import {
  createWebhook,
  deleteByToken,
  deleteWebhook,
  deleteWebhookMessage,
  editWebhookMessage,
  executeWebhook,
  getWebhook,
  getWebhookByToken,
  getWebhookMessage,
  listChannelWebhooks,
  listGuildWebhooks,
  NewWebhook,
  noteExecution,
  renameByToken,
  requireUsableWebhook,
  updateWebhook,
  WebhookChange,
  type WebhookRecord,
  WebhookRename,
} from '../../domain/webhooks/index.js';
import { COMMAND_JSON_BOUNDS } from '../../infra/network/bounded-json.js';
import { messageAs, renderMessage } from '../../wire/messages.js';
import { renderNewWebhook, renderOwnWebhook, renderWebhook } from '../../wire/webhooks.js';
import { reads, writes } from '../buckets.js';
import { GithubBody, messageOfGithub } from '../github-body.js';
import { EditAnswerBody, ExecuteWebhookBody } from '../message-body.js';
import { type RenderContext, route, type TargetParam } from '../route.js';
import { absent, ids, inWireNames } from '../schemas.js';
import { messageOfSlack, SlackBody } from '../slack-body.js';

const ofWebhook = ids('webhookId');
const renderAll = (webhooks: WebhookRecord[]) => webhooks.map(renderWebhook);

/** The cloud stores webhooks, even for channels on a box. */
function keptInCloud(by: TargetParam) {
  return { by, selfHosted: 'inCloud', isOfWebhooks: true } as const;
}

/** A webhook's avatar has no effect, because messages show the bot's. */
const managementRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channelId/webhooks',
    summary: "List a channel's webhooks",
    callers: ['bot'],
    bucket: reads('channel-webhooks', 'channelId'),
    where: keptInCloud('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => listChannelWebhooks(call, params.channelId),
    render: renderAll,
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/webhooks',
    summary: 'Create a webhook',
    description: 'Only this response contains the token.',
    callers: ['bot'],
    bucket: writes('create-webhook', 'channelId'),
    where: keptInCloud('channelId'),
    params: ids('channelId'),
    body: inWireNames(NewWebhook.shape),
    showsSecret: true,
    run: (call, { params, body }) =>
      createWebhook(call, { ...params, ...body, applicationId: requireUser(call).user.id }),
    render: ({ webhook, token }, { app }) => renderNewWebhook(webhook, token, app.addresses.publicUrl),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/webhooks',
    summary: "List a server's webhooks",
    callers: ['bot'],
    bucket: reads('guild-webhooks', 'guildId'),
    where: keptInCloud('guildId'),
    params: ids('guildId'),
    run: (call, { params }) => listGuildWebhooks(call, params.guildId),
    render: renderAll,
  }),
  route({
    method: 'GET',
    path: '/webhooks/:webhookId',
    summary: 'Get a webhook',
    callers: ['bot'],
    bucket: reads('webhook', 'webhookId'),
    where: keptInCloud('webhookId'),
    params: ofWebhook,
    run: (call, { params }) => getWebhook(call, params.webhookId),
    render: renderWebhook,
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:webhookId',
    summary: 'Edit a webhook',
    callers: ['bot'],
    bucket: writes('change-webhook', 'webhookId'),
    where: keptInCloud('webhookId'),
    params: ofWebhook,
    body: inWireNames(WebhookChange.shape),
    faultNames: { channelId: 'channel_id' },
    run: (call, { params, body }) => updateWebhook(call, params.webhookId, body),
    render: renderWebhook,
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:webhookId',
    summary: 'Delete a webhook',
    callers: ['bot'],
    bucket: writes('change-webhook', 'webhookId'),
    where: keptInCloud('webhookId'),
    params: ofWebhook,
    run: (call, { params }) => deleteWebhook(call, params.webhookId),
  }),
];

/** The token of a webhook, or an interaction token with its application's id. */
const BY_TOKEN = '/webhooks/:webhookId/:webhookToken';

const withToken = { webhookId: snowflake(), webhookToken: z.string() };
const ofToken = z.object(withToken);

/** Responses contain the token, which the caller already has. */
const tokenRoutes = [
  route({
    method: 'GET',
    path: BY_TOKEN,
    summary: 'Get a webhook by its token',
    callers: ['webhookToken'],
    bucket: reads('webhook-by-token', 'webhookId', 'webhookToken'),
    where: keptInCloud('webhookId'),
    params: ofToken,
    showsSecret: true,
    run: async (call, { params }) => ({ webhook: await getWebhookByToken(call), token: params.webhookToken }),
    render: ({ webhook, token }) => ({ ...renderOwnWebhook(webhook), token }),
  }),
  route({
    method: 'PATCH',
    path: BY_TOKEN,
    summary: 'Rename a webhook by its token',
    callers: ['webhookToken'],
    bucket: writes('change-webhook-by-token', 'webhookId', 'webhookToken'),
    where: keptInCloud('webhookId'),
    params: ofToken,
    body: WebhookRename,
    showsSecret: true,
    run: async (call, { params, body }) => ({ webhook: await renameByToken(call, body), token: params.webhookToken }),
    render: ({ webhook, token }) => ({ ...renderOwnWebhook(webhook), token }),
  }),
  route({
    method: 'DELETE',
    path: BY_TOKEN,
    summary: 'Delete a webhook by its token',
    callers: ['webhookToken'],
    bucket: writes('change-webhook-by-token', 'webhookId', 'webhookToken'),
    where: keptInCloud('webhookId'),
    params: ofToken,
    run: deleteByToken,
  }),
];

/** Hides other users' messages that the webhook replied to. */
function renderSent(message: MessageRecord, { app, call: { actor } }: RenderContext): APIMessage {
  const isReaderOfAll = actor.kind !== 'webhook' || message.referenced?.webhookId === actor.webhook.id;
  return messageAs(isReaderOfAll ? 'whole' : 'withoutReply', renderMessage(message, app.addresses));
}

/**
 * Posting to another channel is not what the sender meant. `wait` and `with_components` are implied (service
 * description, section 4).
 */
const query = z.object({
  thread_id: absent('There are no threads here.').meta({ shownAs: { type: 'string', format: 'snowflake' } }),
});

const isOfWebhook = ({ actor }: CallContext) => actor.kind === 'webhook';

/** A webhook needs an existing channel. */
async function admitFiles(call: CallContext): Promise<void> {
  if (isOfWebhook(call)) await requireUsableWebhook(call);
}

/** Interaction messages are in the cloud. */
const where = { by: 'webhookId', selfHosted: 'forward', isOfWebhooks: true } as const;
const EXECUTE = writes('execute-webhook', 'webhookId', 'webhookToken');
const ofMessages = { callers: ['webhookToken', 'interactionToken'], where, query } as const;

function post(call: CallContext, message: object) {
  return executeWebhook(call, { message: parseInput(ExecuteWebhookBody, message), files: [] });
}

/** @throws INVALID_INPUT if the header `X-GitHub-Event` is missing */
function messageOfEvent(body: z.output<typeof GithubBody>, headers: IncomingHttpHeaders): object | null {
  const { 'x-github-event': event } = headers;
  if (typeof event === 'string') return messageOfGithub(event, body);
  throw invalidInput({ path: '', code: 'BASE_TYPE_REQUIRED', message: 'The header X-GitHub-Event is missing.' });
}

/** Bodies and responses in other services' formats. */
const serviceRoutes = [
  route({
    method: 'POST',
    path: `${BY_TOKEN}/slack`,
    summary: 'Execute a Slack-compatible webhook',
    description: 'Accepts the body of a Slack incoming webhook.',
    callers: ['webhookToken'],
    bucket: EXECUTE,
    where: { ...where, afterForward: noteExecution, forwardAs: messageOfSlack },
    params: ofToken,
    query,
    body: SlackBody,
    // Alertmanager requires exactly this response.
    answer: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' },
    run: (call, { body }) => post(call, messageOfSlack(body)),
  }),
  route({
    method: 'POST',
    path: `${BY_TOKEN}/github`,
    summary: 'Execute a GitHub-compatible webhook',
    description: 'Accepts the events of a GitHub webhook. Events without a message are ignored.',
    callers: ['webhookToken'],
    bucket: EXECUTE,
    where: { ...where, afterForward: noteExecution, forwardAs: messageOfEvent },
    params: ofToken,
    query,
    body: GithubBody,
    // A push can have up to 2,048 commits, each with its files.
    jsonBounds: COMMAND_JSON_BOUNDS,
    answer: { status: 204, headers: {}, body: null },
    async run(call, { body, headers }) {
      const message = messageOfEvent(body, headers);
      if (message) await post(call, message);
    },
  }),
];

const messageRoutes = [
  route({
    ...ofMessages,
    method: 'POST',
    path: BY_TOKEN,
    summary: 'Execute a webhook, or send a follow-up message',
    description: "With an application's id and an interaction token, this sends a follow-up to the interaction.",
    where: { ...where, afterForward: noteExecution },
    bucket: EXECUTE,
    params: ofToken,
    body: ExecuteWebhookBody,
    faultNames: { reference: 'message_reference' },
    admitFiles,
    noteRefusal: noteRefusedAnswer,
    run: (call, { body: message, files }) =>
      isOfWebhook(call) ? executeWebhook(call, { message, files }) : createFollowUp(call, { message, files }),
    render: renderSent,
  }),
  ...serviceRoutes,
  ...sentMessageRoutes('@original', z.object(withToken), () => '@original'),
  ...sentMessageRoutes(':messageId', z.object({ ...withToken, messageId: snowflake() }), ({ messageId }) => messageId),
];

/** All changes share a bucket. */
function sentMessageRoutes<Params extends z.ZodType<Record<string, unknown>>>(
  name: '@original' | ':messageId',
  params: Params,
  keyOf: (params: z.output<Params>) => AnswerKey,
) {
  const row = { ...ofMessages, path: `${BY_TOKEN}/messages/${name}`, params };
  return [
    route({
      ...row,
      method: 'GET',
      summary: 'Get a message of a webhook or interaction',
      bucket: reads('get-webhook-message', 'webhookId', 'webhookToken'),
      run(call, input) {
        const key = keyOf(input.params);
        return isOfWebhook(call) ? getWebhookMessage(call, idOf(key)) : getAnswer(call, key);
      },
      render: renderSent,
    }),
    route({
      ...row,
      method: 'PATCH',
      summary: 'Edit a message of a webhook or interaction',
      bucket: writes('change-webhook-message', 'webhookId', 'webhookToken'),
      body: EditAnswerBody,
      admitFiles,
      noteRefusal: noteRefusedAnswer,
      run(call, { body: edit, files, ...input }) {
        const key = keyOf(input.params);
        return isOfWebhook(call)
          ? editWebhookMessage(call, { id: idOf(key), edit, files })
          : editAnswer(call, { key, edit, files });
      },
      render: renderSent,
    }),
    route({
      ...row,
      method: 'DELETE',
      summary: 'Delete a message of a webhook or interaction',
      bucket: writes('change-webhook-message', 'webhookId', 'webhookToken'),
      noteRefusal: noteRefusedAnswer,
      run(call, input) {
        const key = keyOf(input.params);
        return isOfWebhook(call) ? deleteWebhookMessage(call, idOf(key)) : deleteAnswer(call, key);
      },
    }),
  ];
}

/**
 * Webhooks have no `@original`.
 * @throws UNKNOWN_MESSAGE
 */
function idOf(key: AnswerKey): bigint {
  if (key === '@original') throw new DomainError('UNKNOWN_MESSAGE');
  return key;
}

export const webhookRoutes = [...managementRoutes, ...tokenRoutes, ...messageRoutes];
