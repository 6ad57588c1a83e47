import type { Loose } from './graphql.js';
import { referenceFaults } from './reference.js';
import { permitEveryone } from './rows.js';
import type { TestServer } from './server.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from './world.js';

export interface RestAnswer<Body = Loose> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface RestRequest {
  json?: unknown;
  /** Sent as multipart. */
  form?: FormData;
  body?: RequestInit['body'];
  headers?: Record<string, string>;
}

/** Sends a REST request under `/api/v10`. `path` may also be a complete URL. */
export async function ask(
  server: Pick<TestServer, 'origin'>,
  method: string,
  path: string,
  { json, form, body, headers }: RestRequest = {},
): Promise<RestAnswer> {
  const url = path.startsWith('http') ? path : `${server.origin}/api/v10${path}`;
  const response = await fetch(url, {
    method,
    body: json === undefined ? (form ?? body ?? null) : JSON.stringify(json),
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: text === '' ? null : parse(text) };
  const place = new URL(url).pathname.replace(/^\/api(\/v10)?/, '');
  // A refusal that is not JSON comes from a proxy.
  const isOurs = response.ok || answer.headers.get('content-type') === 'application/json';
  const faults = isOurs ? referenceFaults(method, place, answer.status, answer.body) : [];
  if (faults.length > 0) throw new Error(`an answer is not the reference platform's:\n${faults.join('\n')}`);
  return answer;
}

function parse(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export class RestBot {
  readonly id: string;

  constructor(
    private readonly server: Pick<TestServer, 'origin'>,
    readonly bot: TestBot,
  ) {
    this.id = String(bot.id);
  }

  ask(method: string, path: string, request: RestRequest = {}): Promise<RestAnswer> {
    const authorization = `Bot ${this.bot.token}`;
    return ask(this.server, method, path, { ...request, headers: { authorization, ...request.headers } });
  }

  get = (path: string) => this.ask('GET', path);
  put = (path: string) => this.ask('PUT', path);
  delete = (path: string) => this.ask('DELETE', path);
  post = (path: string, json: unknown) => this.ask('POST', path, { json });
  patch = (path: string, json: unknown) => this.ask('PATCH', path, { json });
}

export interface Scene {
  server: TestServer;
  guild: TestGuild;
  guildId: string;
  channelId: string;
  /** `/channels/{the channel}/messages` */
  messages: string;
  bot: RestBot;
  other: RestBot;
  /** A bot without memberships. */
  stranger: RestBot;
  /** Sets the permissions of `@everyone` in the guild. */
  permit(permissions: bigint): Promise<void>;
  send(json?: object): Promise<Loose>;
}

export async function openScene(server: TestServer): Promise<Scene> {
  const { app } = server;
  const guild = await createGuild(app);
  const owned = { owner: guild.owner };
  const [bot, other, stranger] = await Promise.all([
    createBot(app, owned),
    createBot(app, owned),
    createBot(app, owned),
  ]);
  await addMember(app, guild.id, bot.user);
  await addMember(app, guild.id, other.user);
  const channelId = String(guild.channel.id);
  const messages = `/channels/${channelId}/messages`;
  const restBot = new RestBot(server, bot);
  return {
    server,
    guild,
    guildId: String(guild.id),
    channelId,
    messages,
    bot: restBot,
    other: new RestBot(server, other),
    stranger: new RestBot(server, stranger),
    permit: (permissions) => permitEveryone(app, guild.id, permissions),
    async send(json = { content: 'hello' }) {
      const { status, body } = await restBot.post(messages, json);
      if (status !== 200) throw new Error(`sending was answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
  };
}

export function formOf(
  payload: unknown,
  ...files: { name: string; content: BlobPart; filename: string; type?: string }[]
) {
  const form = new FormData();
  if (payload !== undefined) form.append('payload_json', JSON.stringify(payload));
  for (const { name, content, filename, type = '' } of files) {
    form.append(name, new Blob([content], { type }), filename);
  }
  return form;
}
