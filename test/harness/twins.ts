import { installApplication } from '../../src/domain/installations/index.js';
import { Permission } from '../../src/domain/permissions.js';
import type { User } from '../../src/infra/database/index.js';
import type { Loose } from './graphql.js';
import { install } from './people.js';
import { type RestAnswer, RestBot, type RestRequest } from './rest.js';
import { createPerson } from './rows.js';
import { type SelfHosted, type SelfHostedOptions, startSelfHosted, untilBox } from './self-hosted.js';
import type { TestServer } from './server.js';
import {
  addMember,
  callOf,
  createBot,
  createChannel,
  createGuild,
  type TestBot,
  type TestGuild,
  userOf,
} from './world.js';

/** One of two equal guilds: in the cloud or on a box. */
export interface Twin {
  home: TestServer;
  guild: TestGuild;
  /** Ids by the names that operations use, such as `guild` or `message`. */
  names: Map<string, string>;
  people: Record<PersonName, User>;
}

const PEOPLE = ['mia', 'ned', 'oto'] as const;
type PersonName = (typeof PEOPLE)[number] | 'owner';

/**
 * The sender: a bot with all permissions, a bot that may read and write and has no privileged intents, or a bot that is
 * not a member.
 */
export type Asker = 'bot' | 'plain' | 'stranger';

export interface Twins {
  all: SelfHosted;
  bots: Record<Asker, TestBot>;
  cloud: Twin;
  box: Twin;
  stop(): Promise<void>;
}

/** One request for both guilds. `{name}` is replaced by an id, in the path and in the body. */
export interface Operation {
  /** Method and path below `/api/v10`. */
  ask: string;
  what?: string;
  by?: Asker | 'nobody';
  json?: unknown;
  form?: () => FormData;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** Runs before the request, on the server of the guild. */
  before?: (twin: Twin) => Promise<unknown>;
  /** Ids in the response that later operations use, by path. */
  keep?: Record<string, string>;
  /** The expected status. Default: success. */
  status?: number;
  code?: number;
  /** The compared part of the response, if some of it must differ, and the reason. */
  but?: { because: string; compare: (body: Loose) => unknown };
}

/** Headers that differ between any two responses. */
const VOLATILE_HEADERS = ['date', 'content-length', 'x-ratelimit-reset', 'x-ratelimit-reset-after', 'x-request-id'];

/** Makes two equal guilds, in a cloud and on a box of it, with the same bots of the cloud. */
export async function openTwins(options: SelfHostedOptions = {}): Promise<Twins> {
  const all = await startSelfHosted(options);
  const { app } = all.cloud;
  const developer = await userOf(app, all.owner);
  const made = { owner: developer };
  const bot = await createBot(app, { ...made, name: 'Everything' });
  const plain = await createBot(app, { ...made, name: 'Plain', privilegedIntents: [] });
  const stranger = await createBot(app, { ...made, name: 'Stranger' });
  const bots = { bot, plain, stranger };
  const [cloud, box] = [await openTwin(all.cloud, bots), await openTwin(all.box, bots)];
  nameForeigners(cloud, box);
  nameForeigners(box, cloud);
  await untilBox(all.cloud, all.boxId, async () => (await app.boxRoutes.ofGuild(box.guild.id)) !== null);
  const plainPermissions = Permission.ViewChannel | Permission.SendMessages | Permission.ReadMessageHistory;
  for (const [one, permissions] of [
    [bot, Permission.Administrator],
    [plain, plainPermissions],
  ] as const) {
    const input = { applicationId: one.id, guildId: cloud.guild.id, scopes: ['bot' as const], permissions };
    await installApplication(callOf(app, cloud.people.owner), input);
    await install(
      all.owner,
      { id: String(one.id) },
      { id: String(box.guild.id) },
      { scopes: ['bot'], permissions: String(permissions) },
    );
  }
  return { all, bots, cloud, box, stop: () => all.stop() };
}

/** Names ids of the other guild, which are invalid in this one. */
function nameForeigners(twin: Twin, other: Twin): void {
  for (const name of ['mia', 'guild', 'text']) twin.names.set(`foreign_${name}`, idIn(other.names, name));
}

async function openTwin(home: TestServer, bots: Record<Asker, TestBot>): Promise<Twin> {
  const { app } = home;
  const guild = await createGuild(app, 'Twin');
  const owner = await app.db.writer.user.update({
    where: { id: guild.owner.id },
    data: { username: 'lea', handle: 'lea', globalName: 'Lea' },
  });
  const people: Record<string, User> = { owner };
  for (const name of PEOPLE) people[name] = await createPerson(app, name);
  const { mia, ned, oto } = people;
  if (!mia || !ned || !oto) throw new Error('nobody there');
  for (const user of [mia, ned]) await addMember(app, guild.id, user);
  const voice = await app.db.reader.channel.findFirstOrThrow({ where: { guildId: guild.id, type: 2 } });
  const spare = await createChannel(app, guild.id, 'spare');
  const ids = { guild: guild.id, text: guild.channel.id, voice: voice.id, spare: spare.id, nothing: app.nextId() };
  const named = [...Object.entries(people), ...Object.entries({ ...bots })].map(
    ([name, { id }]) => [name, id] as const,
  );
  const names = new Map([...Object.entries(ids), ...named].map(([name, id]) => [name, String(id)]));
  return { home, guild, names, people: { owner, mia, ned, oto } };
}

function idIn(names: Twin['names'], name: string): string {
  const id = names.get(name);
  if (id === undefined) throw new Error(`nothing is called ${name}`);
  return id;
}

export function named(text: string, { names }: Twin): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => idIn(names, name));
}

/** A response without the parts that must differ: ids, times, URLs and secrets are replaced by names or numbers. */
export interface Likeness {
  status: number;
  headers: Record<string, string>;
  body: Loose;
}

/** Sends the same request for both guilds to the cloud. */
export async function askBoth(twins: Twins, operation: Operation): Promise<{ cloud: Likeness; box: Likeness }> {
  const [cloud, box] = await Promise.all([twins.cloud, twins.box].map((twin) => askOne(twins, twin, operation)));
  if (!cloud || !box) throw new Error('two were asked');
  return { cloud, box };
}

export async function askOne({ all, bots }: Twins, twin: Twin, operation: Operation): Promise<Likeness> {
  const { ask, by = 'bot', before, keep = {} } = operation;
  await before?.(twin);
  const [method = '', path = ''] = named(ask, twin).split(' ');
  const authorization = by === 'nobody' ? '' : `Bot ${bots[by].token}`;
  const bot = new RestBot(all.cloud, bots[by === 'nobody' ? 'bot' : by]);
  const answer = await bot.ask(method, path, requestOf(operation, twin, authorization));
  for (const [name, at] of Object.entries(keep)) twin.names.set(name, String(within(answer.body, at)));
  const { body } = answer;
  return likenessOf({ ...answer, body: operation.but ? operation.but.compare(body) : body }, twin, all);
}

function requestOf({ json, form, body, headers }: Operation, twin: Twin, authorization: string): RestRequest {
  return {
    headers: { authorization, ...headers },
    ...(json === undefined ? {} : { json: JSON.parse(named(JSON.stringify(json), twin)) }),
    ...(form ? { form: form() } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

function within(value: Loose, path: string): unknown {
  return path.split('.').reduce((inner, key) => inner?.[key], value);
}

function likenessOf({ status, headers, body }: RestAnswer, twin: Twin, all: SelfHosted): Likeness {
  const kept = [...headers].filter(([name]) => !VOLATILE_HEADERS.includes(name));
  return { status, headers: Object.fromEntries(kept), body: alike(body, twin, all) };
}

/** A value without the parts that must differ between the guilds. */
export function alike(value: unknown, { names }: Twin, { cloud, box }: Pick<SelfHosted, 'cloud' | 'box'>): Loose {
  const nameOf = new Map([...names].map(([name, id]) => [id, `{${name}}`]));
  const text = JSON.stringify(value ?? null)
    .replaceAll(cloud.origin, '{origin}')
    .replaceAll(box.origin, '{origin}')
    .replace(/ex=\w+&is=\w+&hm=\w+/g, 'ex&is&hm')
    .replace(/(?<="key":"code","(new|old)_value":")[\w-]+/g, '{invite}')
    .replace(/WH\.[\w-]{8}\.[\w-]+/g, '{token}')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+/g, (time) => time.replace(/\d/g, '0'))
    .replace(/(?<="timestamp":)\d{10}(?=[,}])/g, '0')
    .replace(/(?<![\w.])\d{17,19}(?![\w.])/g, (id) => {
      const name = nameOf.get(id) ?? `{#${nameOf.size}}`;
      nameOf.set(id, name);
      return name;
    });
  return JSON.parse(text);
}
