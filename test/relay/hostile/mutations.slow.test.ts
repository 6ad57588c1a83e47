import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boxSnowflakes, snowflakes } from '../../../src/infra/ids/ids.js';
import { stampDispatch } from '../../../src/relay/cloud/events/dispatches.js';
import { DISPATCHED } from '../../../src/relay/protocol/messages.js';
import { renderUser } from '../../../src/wire/users.js';
import { ManualClock } from '../../harness/clock.js';

const SPACE = 5_000;
const clock = new ManualClock();
const nextOwn = boxSnowflakes(clock, SPACE);
const own = () => String(nextOwn());
const cloud = snowflakes(clock, 1);
const neighbour = boxSnowflakes(clock, SPACE + 1);
const guild = own();
const bot = cloud();
/** Ids of others: guilds, channels and users of the cloud and of another box. */
const OTHERS = [...Array.from({ length: 5 }, cloud), ...Array.from({ length: 5 }, neighbour)].map(String);
const NOBODY = { handle: null, globalName: null, avatarHash: null, deletedAt: null };
const shown = renderUser({ ...NOBODY, id: bot, username: 'helper', bot: true });
const of = {
  idSpace: SPACE,
  guildIds: new Set([BigInt(guild)]),
  bots: {
    userOf: (id: bigint) => (id === bot ? shown : null),
    webhookOf: () => null,
    isInstalled: () => true,
    wasInstalled: () => true,
  },
};

const person = () => ({ id: own(), username: 'ada', global_name: null, avatar: null });
const facts = () => ({ roles: [own()], joined_at: '2026-01-02T03:04:05+00:00', nick: null, deaf: false, mute: false });
const place = { guild_id: guild, channel_id: own() };
const plain = () => ({
  id: own(),
  ...place,
  author: person(),
  member: facts(),
  content: 'x',
  mentions: [person(), { ...shown }],
  mention_roles: [own()],
  attachments: [{ id: own(), url: 'https://a.example/x' }],
  embeds: [],
});
const message = () => ({ ...plain(), referenced_message: plain(), message_reference: { ...place, message_id: own() } });
const channel = () => ({
  id: own(),
  guild_id: guild,
  type: 0,
  name: 'c',
  parent_id: own(),
  permission_overwrites: [{ id: own(), type: 0, allow: '0', deny: '0' }],
});
const role = () => ({ id: own(), name: 'r', permissions: '0', position: 1, tags: { bot_id: String(bot) } });
const ON = { ...place, message_id: own(), emoji: { id: null, name: 'x' } };

const EVENTS: Record<(typeof DISPATCHED)[number], () => object> = {
  MESSAGE_CREATE: message,
  MESSAGE_UPDATE: message,
  MESSAGE_DELETE: () => ({ ...place, id: own() }),
  MESSAGE_DELETE_BULK: () => ({ ...place, ids: [own(), own()] }),
  MESSAGE_REACTION_ADD: () => ({ ...ON, user_id: own(), member: { ...facts(), user: person() } }),
  MESSAGE_REACTION_REMOVE: () => ({ ...ON, user_id: own() }),
  MESSAGE_REACTION_REMOVE_ALL: () => ON,
  MESSAGE_REACTION_REMOVE_EMOJI: () => ON,
  CHANNEL_CREATE: channel,
  CHANNEL_UPDATE: channel,
  CHANNEL_DELETE: channel,
  CHANNEL_PINS_UPDATE: () => ({ ...place, last_pin_timestamp: null }),
  GUILD_UPDATE: () => ({ id: guild, name: 'g', owner_id: own(), roles: [role()], afk_channel_id: own() }),
  GUILD_MEMBER_ADD: () => ({ guild_id: guild, ...facts(), user: person() }),
  GUILD_MEMBER_REMOVE: () => ({ guild_id: guild, user: person() }),
  GUILD_MEMBER_UPDATE: () => ({ guild_id: guild, ...facts(), user: person() }),
  GUILD_BAN_ADD: () => ({ guild_id: guild, user: person() }),
  GUILD_BAN_REMOVE: () => ({ guild_id: guild, user: person() }),
  GUILD_ROLE_CREATE: () => ({ guild_id: guild, role: role() }),
  GUILD_ROLE_UPDATE: () => ({ guild_id: guild, role: role() }),
  GUILD_ROLE_DELETE: () => ({ guild_id: guild, role_id: own() }),
  TYPING_START: () => ({ ...place, user_id: own(), timestamp: 1, member: { ...facts(), user: person() } }),
  VOICE_STATE_UPDATE: () => ({
    ...place,
    user_id: own(),
    session_id: 's',
    self_mute: false,
    self_deaf: false,
    member: { ...facts(), user: person() },
  }),
};

/** Fields with free text, and fields that are not ids (docs/relay.md, R-35). */
const FREE =
  /"(content|username|name|nick|session_id|emoji|embeds|joined_at|last_pin_timestamp|global_name|avatar|allow|deny|permissions|deaf|mute)":/;

/** The paths of all values in a value. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

/** The value with one value replaced and one more field next to it. */
function changed(value: unknown, [key, ...rest]: string[], make: (there: unknown) => unknown): unknown {
  if (key === undefined) return make(value);
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy as object, key, changed(Reflect.get(value as object, key), rest, make));
  return copy;
}

const other = fc.constantFrom(...OTHERS);
const field = fc.constantFrom('id', 'user_id', 'channel_id', 'guild_id', 'x_id', 'owner_id', 'message_author_id');
const holder = fc.constantFrom(
  'user',
  'author',
  'member',
  'mentions',
  'users',
  'thread',
  'x',
  'constructor',
  '__proto__',
);

const graft = fc.oneof(
  other.map((id) => () => id),
  fc.tuple(field, other).map(([name, id]) => (there: unknown) => ({ ...asObject(there), [name]: id })),
  fc.tuple(holder, other).map(
    ([name, id]) =>
      (there: unknown) =>
        Object.defineProperty(asObject(there), name, { value: { id, username: 'x' }, enumerable: true }),
  ),
  fc.tuple(holder, other).map(([name, id]) => (there: unknown) => ({
    ...asObject(there),
    [`${name}s`]: [{ id, bot: true }],
  })),
  other.map((id) => (there: unknown) => ({ ...asObject(there), resolved: { users: { [id]: { global_name: 'x' } } } })),
);

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

it('R-35: no id of another owner reaches a client, whatever a box changes in an event', async () => {
  const run = fc.asyncProperty(fc.constantFrom(...DISPATCHED), fc.nat(), graft, async (t, seed, make) => {
    const event = EVENTS[t]();
    const places = placesIn(event);
    const d = JSON.parse(JSON.stringify(changed(event, places[seed % places.length] ?? [], make)));
    const stamped = await stampDispatch({ t, d }, of);
    if ('refusal' in stamped) return;
    expect(stamped.message.guildId).toBe(guild);
    const { data, content } = stamped.message;
    for (const text of [data, content?.redacted, content?.withoutReply]) {
      const told = text === undefined ? '' : withoutFree(JSON.parse(text));
      for (const id of OTHERS) expect(told).not.toContain(id);
    }
  });
  await fc.assert(run, { numRuns: 3_000 });
});

function withoutFree(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (FREE.test(`"${key}":`) ? undefined : inner));
}

it('the unchanged events are published as they are', async () => {
  for (const t of DISPATCHED) {
    const d = JSON.parse(JSON.stringify(EVENTS[t]()));
    expect(await stampDispatch({ t, d }, of)).toMatchObject({ message: { type: t, guildId: guild } });
  }
});
