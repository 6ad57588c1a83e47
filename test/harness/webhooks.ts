import type { Prisma, Webhook } from '../../src/infra/database/index.js';
import { ask, type RestAnswer, type RestBot, type RestRequest, type Scene } from './rest.js';
import { putWebhook } from './rows.js';
import type { TestServer } from './server.js';

/** A REST client of a webhook, with its token in every path. */
export class RestWebhook {
  readonly id: string;

  constructor(
    private readonly server: Pick<TestServer, 'origin'>,
    { id }: Pick<Webhook, 'id'>,
    readonly token: string,
  ) {
    this.id = String(id);
  }

  ask(method: string, path = '', request: RestRequest = {}): Promise<RestAnswer> {
    return ask(this.server, method, `/webhooks/${this.id}/${this.token}${path}`, request);
  }

  get = (path?: string) => this.ask('GET', path);
  delete = (path?: string) => this.ask('DELETE', path);
  post = (json: unknown, query = '') => this.ask('POST', query, { json });
  patch = (path: string, json: unknown) => this.ask('PATCH', path, { json });
}

/** A webhook in a scene's channel. Default: of the bot's application. */
export async function openWebhook(
  scene: Pick<Scene, 'server' | 'guild' | 'bot'>,
  facts: Partial<Prisma.WebhookUncheckedCreateInput> = {},
  { bot }: RestBot = scene.bot,
): Promise<RestWebhook> {
  const { webhook, token } = await putWebhook(scene.server.app, { bot, guild: scene.guild }, facts);
  return new RestWebhook(scene.server, webhook, token);
}
