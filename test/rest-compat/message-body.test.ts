import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../src/domain/errors.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { EditAnswerBody, EditMessageBody, SendMessageBody } from '../../src/rest-compat/message-body.js';

const send = (body: object) => parseInput(SendMessageBody, body);
const edit = (body: object) => parseInput(EditMessageBody, body);
const editAnswer = (body: object) => parseInput(EditAnswerBody, body);

describe('the body of a send is converted to the domain', () => {
  test.each([
    ['content', ' hello ', { content: 'hello' }],
    ['flags', 4, { flags: 4 }],
    ['tts', true, { tts: true }],
    ['nonce', 12, { nonce: '12' }],
    ['enforce_nonce', true, { enforceNonce: true }],
    ['components', [{ type: 10, content: 'x', made_up: 1 }], { components: [{ type: 10, id: 1, content: 'x' }] }],
    ['embeds', [{ title: 'x' }], { embeds: [{ type: 'rich', title: 'x' }] }],
    [
      'allowed_mentions',
      { parse: ['roles'], users: ['7'], replied_user: false },
      { allowedMentions: { parse: ['roles'], users: [7n], repliedUser: false } },
    ],
    [
      'message_reference',
      { type: 0, message_id: '7', channel_id: '8', fail_if_not_exists: false },
      { reference: { messageId: 7n, failIfNotExists: false } },
    ],
    [
      'attachments',
      [
        { id: 0, filename: 'a.txt', description: ' words ' },
        { id: '1', description: ' ' },
      ],
      {
        attachments: [
          { id: 0n, filename: 'a.txt', description: 'words' },
          { id: 1n, description: null },
        ],
      },
    ],
  ])('%s', (name, value, expected) => {
    expect(send({ [name]: value })).toEqual(expected);
    expect(send({ [name]: null })).toEqual({});
  });
});

describe('the body of an edit is converted to the domain', () => {
  test.each(['content', 'embeds', 'components', 'attachments'])(
    '%s is kept if omitted, and cleared by null',
    (name) => {
      expect(edit({})).toEqual({});
      expect(edit({ [name]: null })).toEqual({ [name]: null });
    },
  );

  test('allowed_mentions gets its domain name, and fields of a send only are dropped', () => {
    const body = { allowed_mentions: { parse: [] }, nonce: 'n', tts: true, message_reference: { message_id: '1' } };
    expect(edit(body)).toEqual({ allowedMentions: { parse: [] } });
  });
});

describe('an unsupported message feature is refused at its field', () => {
  const faultsOf = (parse: () => unknown) => {
    try {
      return parse();
    } catch (error) {
      return error instanceof DomainError ? error.fields : error;
    }
  };
  const POLL = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'Yes' } }], duration: 24 };
  const NO_POLLS = [{ path: 'poll', code: 'BASE_TYPE_INVALID', message: 'Polls are not supported.' }];

  test.each([[POLL], [{}], ['poll'], [false], [0]])('a poll: %j', (poll) => {
    expect(faultsOf(() => send({ poll }))).toEqual(NO_POLLS);
    expect(faultsOf(() => send({ content: 'x', poll }))).toEqual(NO_POLLS);
    expect(faultsOf(() => editAnswer({ content: 'x', poll }))).toEqual(NO_POLLS);
  });

  test('a list with too many kinds of mentions', () => {
    const parse = Array(101).fill('none');
    expect(faultsOf(() => send({ allowed_mentions: { parse } }))).toMatchObject([
      { path: 'allowed_mentions.parse', code: 'BASE_TYPE_BAD_LENGTH' },
    ]);
  });

  test('a forward', () => {
    const reference = { type: 1, message_id: '7', channel_id: '8' };
    expect(faultsOf(() => send({ message_reference: reference }))).toEqual([
      {
        path: 'message_reference.type',
        code: 'BASE_TYPE_CHOICES',
        message: 'Forwarding messages is not supported. The type must be 0 (reply).',
      },
    ]);
    expect(send({ message_reference: { ...reference, type: 0 } })).toEqual({ reference: { messageId: 7n } });
  });

  test.each([[['1']], ['1'], [{}]])('stickers in %j', (stickerIds) => {
    const message = 'Stickers are not supported.';
    expect(faultsOf(() => send({ content: 'x', sticker_ids: stickerIds }))).toEqual([
      { path: 'sticker_ids', code: 'BASE_TYPE_INVALID', message },
    ]);
  });

  test.each([[null], [[]]])('%j is accepted as an empty list of stickers', (stickerIds) => {
    expect(send({ content: 'x', sticker_ids: stickerIds })).toEqual({ content: 'x' });
  });

  test('null is accepted as the absence of a poll', () => {
    expect(send({ content: 'x', poll: null })).toEqual({ content: 'x' });
    expect(editAnswer({ content: 'x', poll: null })).toEqual({ content: 'x' });
    expect(editAnswer({ content: null, flags: 4 })).toEqual(edit({ content: null, flags: 4 }));
  });
});

describe('the schema', () => {
  const printed = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

  test('describes the body in wire names with its limits', () => {
    expect(Object.keys(printed(SendMessageBody).properties ?? {}).sort()).toEqual([
      ...['allowed_mentions', 'attachments', 'components', 'content', 'embeds', 'enforce_nonce', 'flags'],
      ...['message_reference', 'nonce', 'poll', 'sticker_ids', 'tts'],
    ]);
    expect(printed(SendMessageBody).properties).toMatchObject({
      content: { anyOf: [{ type: 'string', maxLength: 4000 }, { type: 'null' }] },
      embeds: { anyOf: [{ type: 'array', maxItems: 10 }, { type: 'null' }] },
      message_reference: {
        anyOf: [
          { properties: { fail_if_not_exists: {}, type: { anyOf: [{ enum: [0] }, {}] } }, required: ['message_id'] },
          {},
        ],
      },
    });
    expect(Object.keys(printed(EditMessageBody).properties ?? {}).sort()).toEqual([
      ...['allowed_mentions', 'attachments', 'components', 'content', 'embeds', 'flags'],
    ]);
  });
});
