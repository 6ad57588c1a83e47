import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { MAX_ID } from '../../../src/infra/ids/ids.js';
import {
  BoxMessage,
  CloudMessage,
  DISPATCHED,
  type ToBox,
  type ToCloud,
  type Upkeep,
  UpkeepMessage,
} from '../../../src/relay/protocol/messages.js';

const id = fc.bigInt({ min: 0n, max: MAX_ID }).map(String);
const stream = fc.integer({ min: 1, max: 0xffff_ffff });
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const sequence = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const milliseconds = fc.integer({ min: 0, max: 86_400_000 });
const text = fc.string({ maxLength: 200, unit: 'grapheme' }).filter(({ length }) => length <= 200);
const name = text.filter(({ length }) => length > 0);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const key = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value !== '__proto__');
const texts = fc.dictionary(key, fc.string());
const json = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.parse(JSON.stringify(value)));
const ids = fc.array(id, { maxLength: 5 });

function bytes(length: number) {
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((value) => Buffer.from(value).toString('base64url'));
}

function message<Op extends string, Fields extends object>(
  op: Op,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
  optional: { [field: string]: fc.Arbitrary<unknown> } = {},
) {
  const required = fc.record(fields);
  const more = fc.record(optional, { requiredKeys: [] });
  return fc.tuple(required, more).map(([given, extra]) => ({ ...given, ...extra, op }));
}

const fromEither = [
  message('ping', { t: number }),
  message('pong', { t: number }),
  message('unknown', {}, { was: text }),
  message('credit', { id: fc.oneof(fc.constant(0), stream), bytes: count }),
];
const goingAway = message('going_away', { retry_after_ms: milliseconds });

const user = fc
  .tuple(
    fc.record({ id, username: text }),
    fc.record({ global_name: fc.option(text), avatar: fc.option(text), bot: fc.boolean() }, { requiredKeys: [] }),
  )
  .map(([given, extra]) => ({ ...given, ...extra }));
const guild = fc.record({ id, name: text, icon: fc.option(text), owner_id: id, channels: ids, bots: ids });

const fromBox = [
  goingAway,
  message(
    'hello',
    {
      versions: fc.array(number, { maxLength: 5 }),
      features: fc.array(text, { maxLength: 3 }),
      software: text,
      key: bytes(32),
      instance: text,
    },
    { token: text },
  ),
  message('proof', { signature: bytes(64) }),
  message('response', { id: stream, status: fc.integer({ min: 100, max: 999 }), headers: texts, body: count }),
  message('cancelled', { id: stream }),
  message('resume', { session: name }),
  message('begin', { session: name }),
  message('announce', { s: sequence, guild }),
  message('withdraw', { s: sequence, guild_id: id }),
  message('ready', { s: sequence }),
  message('dispatch', { s: sequence, t: fc.constantFrom<string>(...DISPATCHED, 'NEWER'), d: json }),
];

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 1_024 }),
  stream_credit: fc.integer({ min: 65_536, max: 64 * 1024 * 1024 }),
  box_credit: fc.integer({ min: 65_536, max: 64 * 1024 * 1024 }),
  answer_bytes: fc.integer({ min: 1 }),
});
const query = fc.dictionary(key, fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 })));

const fromCloud = [
  goingAway,
  message('challenge', { version: number, features: fc.array(text, { maxLength: 3 }), nonce: bytes(32), origin: text }),
  message(
    'welcome',
    { box_id: id, name: text, id_space: fc.integer({ min: 4_096, max: 16_383 }), generation: count, limits },
    { events: fc.option(fc.record({ session: text, seq: count })) },
  ),
  message(
    'request',
    {
      id: stream,
      method: fc.string({ maxLength: 20 }),
      path: fc.webPath(),
      query,
      headers: texts,
      body: count,
      bot: fc.record({ user, application_id: id, message_content: fc.boolean() }),
      guild_id: id,
      budget_ms: milliseconds,
      key: name,
    },
    { webhook: fc.record({ id, channel_id: id }) },
  ),
  message('call', { id: stream, name: text, input: json, budget_ms: milliseconds, key: name }),
  message('cancel', { id: stream }),
  message('ack', { s: count }),
];

function written(parsed: unknown): unknown {
  const text = JSON.stringify(parsed, function (this: Record<string, unknown>, field, value) {
    const original = this[field];
    if (Buffer.isBuffer(original)) return original.toString('base64url');
    return typeof value === 'bigint' ? String(value) : value;
  });
  return JSON.parse(text);
}

function opsOf(union: { options: readonly { shape: { op: { value: string } } }[] }): string[] {
  return union.options.map(({ shape }) => shape.op.value);
}

describe.each<
  [
    string,
    z.ZodType<unknown, ToCloud> | z.ZodType<unknown, ToBox> | z.ZodType<unknown, Upkeep>,
    fc.Arbitrary<{ op: string }>[],
    string[],
  ]
>([
  ['either end', UpkeepMessage, fromEither, opsOf(UpkeepMessage)],
  ['a box', BoxMessage, fromBox, opsOf(BoxMessage)],
  ['the cloud', CloudMessage, fromCloud, opsOf(CloudMessage)],
])('the messages of %s', (_, schema, messages, ops) => {
  it('are all covered here', () => {
    expect(messages.map((arbitrary) => fc.sample(arbitrary, 1)[0]?.op)).toEqual(ops);
  });

  it('are the same after serialization and parsing', () => {
    for (const arbitrary of messages) {
      fc.assert(
        fc.property(arbitrary, (sent) => {
          const { data, error } = schema.safeParse(JSON.parse(JSON.stringify(sent)));
          expect(error).toBeUndefined();
          expect(written(data)).toEqual(JSON.parse(JSON.stringify(sent)));
        }),
        { numRuns: 100 },
      );
    }
  });
});

it.each([
  ['requests', 1_025],
  ['stream_credit', 64 * 1024 * 1024 + 1],
  ['box_credit', 2 ** 53],
  ['box_credit', 65_535],
])('R-15: a welcome whose %s is %i is invalid', (limit, value) => {
  const limits = { requests: 1, stream_credit: 65_536, box_credit: 65_536, answer_bytes: 1 };
  const welcome = { op: 'welcome', box_id: '1', name: 'x', id_space: 4_096, generation: 1, limits };
  expect(CloudMessage.safeParse(welcome).success).toBe(true);
  expect(CloudMessage.safeParse({ ...welcome, limits: { ...limits, [limit]: value } }).success).toBe(false);
});
