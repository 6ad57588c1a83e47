import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type AppContext, callContext } from '../../../context.js';
import type { Actor } from '../../../domain/call.js';
import { countedAs } from '../../../domain/rate-limits.js';
import { requireDirectedWebhook } from '../../../domain/webhooks/index.js';
import type { SharedKeys } from '../../../infra/crypto/shared-keys.js';
import { renderUser } from '../../../wire/users.js';
import type { SentBot } from '../../protocol/messages.js';
import { answerOfBox, type ForwardedAnswer, faultOfBox } from './answers.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { waitFor } from './in-flight-writes.js';
import { indexCreatedChannel } from './index-created-channel.js';
import { measured } from './measures.js';
import { NO_BODY, type ReceivedBody, receiveBody, type TakenBody } from './received-bodies.js';
import { type BoxAnswer, BoxError, type BoxTransports, type CallOptions, type ForwardedRequest } from './transport.js';

/** Includes the credential check but not the arrival of the body (service description, section 8). */
export const FORWARD_BUDGET_MS = 12_000;

/** See docs/relay.md, R-20. */
const TRAVELLING = ['content-type', 'x-audit-log-reason', 'accept-language'];

export interface BoxTarget {
  box: bigint;
  guildId: bigint;
}

export type Sender = Extract<Actor, { kind: 'bot' | 'webhook' }>;

export interface Asked {
  request: {
    id: string;
    method: string;
    /** Percent-encoded, without a token, and without a prefix except `/api/v9`. */
    path: string;
    query: Readonly<Record<string, string | string[]>>;
    headers: IncomingHttpHeaders;
    readonly address: string;
    body: Readable | Uint8Array;
    admissionMs?: number;
  };
  sender: Sender;
  /** Null for a route without a body. */
  taken: TakenBody | null;
}

export interface Directory {
  /** Finds a guild by its id, or by that of a channel or webhook. Unknown ids are `here`. */
  whereIs(target: 'guild' | 'channel' | 'webhook', id: bigint): Promise<'here' | BoxTarget>;
  /** May use a cache. */
  isInstalled(target: BoxTarget, bot: Extract<Sender, { kind: 'bot' }>): Promise<boolean>;
  /**
   * Returns errors of the box as a response.
   * @throws DomainError for a refused body or an invalid webhook
   */
  forward(target: BoxTarget, asked: Asked): Promise<ForwardedAnswer>;
}

type Piece = Required<Pick<CallOptions, 'budgetMs' | 'fingerprint'>>;

/** @param keys null if there is only one process */
export function createDirectory(app: AppContext, transports: BoxTransports, keys: SharedKeys | null = null): Directory {
  const idempotencyKeys = new IdempotencyKeys(keys);
  const find = {
    guild: (id: bigint) => app.boxRoutes.ofGuild(id),
    channel: (id: bigint) => app.boxRoutes.ofChannel(id),
    async webhook(id: bigint) {
      const webhook = await app.db.reader.webhook.findUnique({ where: { id }, select: { guildId: true } });
      return webhook && app.boxRoutes.ofGuild(webhook.guildId);
    },
  };

  /** @throws BoxError */
  async function send(box: bigint, request: ForwardedRequest, callOptions: CallOptions): Promise<BoxAnswer> {
    const transport = await transports.to(box);
    if (!transport) throw new BoxError('offline', 'the box is not connected');
    return transport.request(request, callOptions);
  }

  /** @throws BoxError */
  async function ask(box: bigint, request: ForwardedRequest, { budgetMs, fingerprint }: Piece): Promise<BoxAnswer> {
    if (budgetMs <= 0) throw new BoxError('timeout', 'the time budget is used up');
    const sent = (callOptions: CallOptions) => waitFor(app.connectionClock, send(box, request, callOptions), budgetMs);
    if (request.method === 'GET') return sent({ budgetMs, key: randomUUID() });
    return idempotencyKeys.perform(fingerprint, budgetMs, sent);
  }

  async function answer(box: bigint, request: ForwardedRequest, piece: Piece): Promise<ForwardedAnswer> {
    try {
      return await measured(app, box, () => ask(box, request, piece), answerOfBox);
    } catch (error) {
      if (!(error instanceof BoxError)) throw error;
      return faultOfBox(error);
    }
  }

  return {
    async whereIs(target, id) {
      const route = await find[target](id);
      return route ? { box: route.boxId, guildId: route.guildId } : 'here';
    },
    async isInstalled({ guildId }, { applicationId, user }) {
      const { guild } = await app.applications.installations(applicationId, guildId, user.id);
      return guild;
    },
    async forward(target, { request, sender, taken }) {
      const { box, guildId } = target;
      const hash = createHash('sha256').update(headOf(request, sender));
      const counted = { sender: countedAs(sender, request), hash };
      const body = taken ? await receiveBody(app, request, { ...counted, taken }) : NO_BODY;
      try {
        const webhook = await webhookOf(app, request.id, sender);
        const forwarded = { ...forwardedRequest(request, sender, body), ...webhook, guildId };
        const budgetMs = FORWARD_BUDGET_MS - (request.admissionMs ?? 0);
        const answered = await answer(box, forwarded, { budgetMs, fingerprint: hash.digest('hex') });
        await indexCreatedChannel(app, target, request, answered);
        return answered;
      } finally {
        await body.letGo();
      }
    },
  };
}

function forwardedRequest(
  { method, path, query, headers }: Asked['request'],
  sender: Sender,
  body: ReceivedBody,
): Omit<ForwardedRequest, 'guildId'> {
  return {
    // Boxes receive HEAD as GET.
    method: method === 'HEAD' ? 'GET' : method,
    path,
    query,
    headers: Object.fromEntries(
      TRAVELLING.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    ),
    body,
    bot: botOf(sender),
  };
}

/**
 * The webhook may have changed while the body arrived.
 * @throws UNKNOWN_WEBHOOK, UNKNOWN_CHANNEL
 */
async function webhookOf(
  app: AppContext,
  requestId: string,
  sender: Sender,
): Promise<Pick<ForwardedRequest, 'webhook'>> {
  if (sender.kind !== 'webhook') return {};
  const { webhook } = await requireDirectedWebhook(callContext(app, sender, { requestId }));
  return { webhook: { id: String(webhook.id), channel_id: String(webhook.channelId) } };
}

function botOf(sender: Sender): SentBot {
  const application =
    sender.kind === 'bot'
      ? { id: sender.applicationId, messageContentIntent: sender.messageContentIntent }
      : sender.application;
  return {
    user: renderUser(sender.user),
    application_id: String(application.id),
    message_content: application.messageContentIntent,
  };
}

/** Identifies repetitions together with the body. The order of query names does not matter. */
function headOf({ method, path, query }: Asked['request'], sender: Sender): string {
  const webhookId = sender.kind === 'webhook' ? String(sender.webhook.id) : null;
  const sorted = Object.keys(query)
    .sort()
    .map((name) => [name, query[name]]);
  return `${JSON.stringify([String(sender.user.id), webhookId, method, path, sorted])}\n`;
}
