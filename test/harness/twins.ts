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

/** One of two guilds that are alike: of the cloud, or of a box. */
export interface Twin {
  /** Where the guild and its people are. */
  home: TestServer;
  guild: TestGuild;
  /** What operations may name, such as `guild` or `message`: the id that it has here. */
  names: Map<string, string>;
  /** People by name. */
  people: Record<PersonName, User>;
}

const PEOPLE = ['mia', 'ned', 'oto'] as const;
type PersonName = (typeof PEOPLE)[number] | 'owner';

/** Who asks: a bot that may everything, one that may see and write and has no privileged intents, and one that is no member. */
export type Asker = 'bot' | 'plain' | 'stranger';

export interface Twins {
  all: SelfHosted;
  bots: Record<Asker, TestBot>;
  cloud: Twin;
  box: Twin;
  stop(): Promise<void>;
}

/** One thing that is asked of both guilds. `{name}` stands for an id, in the path and in a body. */
export interface Operation {
  /** Method and path behind `/api/v10`. */
  ask: string;
  what?: string;
  by?: Asker | 'nobody';
  json?: unknown;
  form?: () => FormData;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** What is done at home before. */
  before?: (twin: Twin) => Promise<unknown>;
  /** Ids of the answer that later operations name, by where they stand. */
  keep?: Record<string, string>;
  /** What is answered; success unless stated. */
  status?: number;
  /** The numeric code of a refusal. */
  code?: number;
  /** What of the answer is compared, where it cannot be all of it, and why. */
  but?: { because: string; compare: (body: Loose) => unknown };
}

/** What may differ from one answer to the next: of the same guild, too. */
const VOLATILE_HEADERS = ['date', 'content-length', 'x-ratelimit-reset', 'x-ratelimit-reset-after', 'x-request-id'];

/** Makes two guilds that are alike, on a cloud and on a box of it, with the same bots of the cloud in them. */
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

/** What the one guild has, as what is of no use in the other. */
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

/** The text with the ids that its names stand for. */
export function named(text: string, { names }: Twin): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => idIn(names, name));
}

/** An answer without what cannot be the same: ids, times, addresses and secrets are named or counted. */
export interface Likeness {
  status: number;
  headers: Record<string, string>;
  body: Loose;
}

/** Asks the same of both guilds, at the cloud's address. */
export async function askBoth(twins: Twins, operation: Operation): Promise<{ cloud: Likeness; box: Likeness }> {
  const [cloud, box] = await Promise.all([twins.cloud, twins.box].map((twin) => askOne(twins, twin, operation)));
  if (!cloud || !box) throw new Error('two were asked');
  return { cloud, box };
}

/** Asks one guild of a pair, at the address of the cloud. */
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

/** A value without what cannot be the same for both guilds. */
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
