import { ChannelType } from 'discord-api-types/v10';
import { beforeAll, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { hearGuild } from '../harness/bus.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { expectReference } from '../harness/reference.js';
import { openScene, RestBot, type Scene } from '../harness/rest.js';
import { createDirectChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { addMember, createBot, createChannel, ONE_BUTTON } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const idsOf = (messages: { id: string }[]) => messages.map((message) => message.id);

async function faultsOf(json: object): Promise<string[]> {
  const { status, body } = await scene.bot.post(scene.messages, json);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
  return flatten(body.errors);
}

function flatten(errors: Loose, path: string[] = []): string[] {
  return Object.entries(errors).flatMap(([key, value]) =>
    key === '_errors'
      ? (value as { code: string }[]).map(({ code }) => `${path.join('.')}: ${code}`)
      : flatten(value, [...path, key]),
  );
}

describe('POST /channels/{id}/messages', () => {
  describe('200', () => {
    test('accepts a text', async () => {
      const { status, body } = await scene.bot.post(scene.messages, { content: '  hello  ' });
      expect(status).toBe(200);
      expectReference('MessageResponse', body);
      expect(body).toMatchObject({
        channel_id: scene.channelId,
        content: 'hello',
        author: { id: scene.bot.id, bot: true },
        edited_timestamp: null,
        type: 0,
        pinned: false,
      });
      for (const absent of ['guild_id', 'member', 'reactions', 'nonce', 'message_reference', 'referenced_message']) {
        expect(body).not.toHaveProperty(absent);
      }
    });

    test('accepts every field of an embed, and trims its text', async () => {
      const embed = {
        title: ' Title ',
        description: 'Description',
        url: 'https://example.org/',
        color: 0xff_ff_ff,
        timestamp: '2026-01-02T03:04:05Z',
        footer: { text: 'Footer', icon_url: 'https://example.org/f.png' },
        image: { url: 'https://example.org/i.png' },
        thumbnail: { url: 'http://example.org/t.png' },
        author: { name: 'Author', url: 'https://example.org/a', icon_url: 'https://example.org/a.png' },
        fields: [{ name: 'Name', value: 'Value', inline: true }],
      };
      const { body } = await scene.bot.post(scene.messages, { embeds: [{ ...embed, provider: { name: 'mine' } }] });
      expectReference('MessageResponse', body);
      expect(body.embeds).toEqual([
        { ...embed, type: 'rich', title: 'Title', timestamp: '2026-01-02T03:04:05.000000+00:00' },
      ]);
    });

    test('returns `inline` for each embed field, in responses and events', async () => {
      const { events, close } = hearGuild(server, scene.guild.id);
      const fields = [
        { name: 'Name', value: 'Value' },
        { name: 'Name', value: 'Value', inline: null },
        { name: 'Name', value: 'Value', inline: true },
      ];
      const { body } = await scene.bot.post(scene.messages, { embeds: [{ fields }] });
      expectReference('MessageResponse', body);
      const shown = [false, false, true].map((inline) => ({ name: 'Name', value: 'Value', inline }));
      expect(body.embeds).toEqual([{ type: 'rich', fields: shown }]);
      expect((await scene.bot.get(`${scene.messages}?limit=1`)).body[0].embeds).toEqual(body.embeds);
      expect(events.map(({ data }) => JSON.parse(data).embeds)).toEqual([body.embeds]);
      close();
      const edited = await scene.bot.patch(`${scene.messages}/${body.id}`, {
        embeds: [{ fields: fields.slice(0, 1) }],
      });
      expect(edited.body.embeds[0].fields).toEqual(shown.slice(0, 1));
    });

    test('accepts the fields that discord.js sends by default', async () => {
      const { status, body } = await scene.bot.post(scene.messages, {
        content: 'x',
        tts: false,
        nonce: '123456789012345678',
        enforce_nonce: false,
        embeds: [],
        components: [],
        allowed_mentions: { parse: [], replied_user: false },
        flags: 4096,
        attachments: [],
        sticker_ids: [],
        poll: null,
        message_reference: null,
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ nonce: '123456789012345678', flags: 4096 });
      expectReference('MessageResponse', body);
    });

    test('ignores unknown fields', async () => {
      const { status } = await scene.bot.post(scene.messages, { content: 'x', brand_new: { a: [1] }, embed: 'old' });
      expect(status).toBe(200);
    });

    test('treats null as omitted in every field', async () => {
      const nothing = Object.fromEntries(
        [
          ...['embeds', 'components', 'flags', 'tts', 'nonce', 'enforce_nonce', 'allowed_mentions'],
          ...['message_reference', 'attachments', 'sticker_ids'],
        ].map((name) => [name, null]),
      );
      const { status } = await scene.bot.post(scene.messages, { content: 'x', ...nothing });
      expect(status).toBe(200);
    });

    test('accepts 4000 characters, and counts an emoji as one', async () => {
      expect((await scene.bot.post(scene.messages, { content: 'a'.repeat(4000) })).status).toBe(200);
      expect((await scene.bot.post(scene.messages, { content: '😀'.repeat(4000) })).status).toBe(200);
    });

    test('replaces lone surrogates with U+FFFD in all text', async () => {
      const lone = 'x\ud800y';
      const { status, body } = await scene.bot.post(scene.messages, {
        content: lone,
        nonce: lone,
        embeds: [
          {
            title: lone,
            description: lone,
            footer: { text: lone },
            author: { name: lone },
            fields: [{ name: lone, value: lone }],
            url: `https://example.org/${lone}`,
          },
        ],
        components: [{ type: 1, components: [{ type: 2, style: 1, label: lone, custom_id: lone }] }],
      });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('\\ud800');
      expect(body.content).toBe('x\ufffdy');
      expect((await scene.bot.get(`${scene.messages}/${body.id}`)).body.content).toBe('x\ufffdy');
    });

    test('returns components with numbers and defaults, and ids beyond 2^53 as text', async () => {
      const select = '{"type":5,"custom_id":"x","default_values":[{"type":"user","id":9007199254740993}]}';
      const answer = await scene.bot.ask('POST', scene.messages, {
        body: `{"components":[{"type":1,"components":[${select}]}]}`,
        headers: { 'content-type': 'application/json' },
      });
      const chosen = { default_values: [{ type: 'user', id: '9007199254740993' }], min_values: 1, max_values: 1 };
      const components = [{ type: 5, id: 2, custom_id: 'x', ...chosen }];
      expect(answer.body.components).toEqual([{ type: 1, id: 1, components }]);
    });

    test('accepts a number above 2^53 as the id in message_reference (discord.py)', async () => {
      const target = await scene.send();
      const body = `{"content":"reply","message_reference":{"message_id":${target.id},"channel_id":${scene.channelId}}}`;
      const answer = await scene.bot.ask('POST', scene.messages, {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body.message_reference.message_id).toBe(target.id);
    });
  });

  describe('is 400', () => {
    test('for an empty message (50006)', async () => {
      for (const json of [
        {},
        { content: '' },
        { content: ' \n ' },
        { content: null, embeds: [] },
        { sticker_ids: [] },
      ]) {
        const { status, body } = await scene.bot.post(scene.messages, json);
        expect({ status, body }).toEqual({
          status: 400,
          body: { code: 50006, message: 'Cannot send an empty message' },
        });
      }
    });

    test('with each fault at its own path and with its own code', async () => {
      const long = (length: number) => 'a'.repeat(length);
      expect(await faultsOf({ content: long(4001) })).toEqual(['content: BASE_TYPE_MAX_LENGTH']);
      expect(await faultsOf({ content: 5.5 })).toEqual(['content: STRING_TYPE_CONVERT']);
      expect(await faultsOf({ content: 'x\u0000' })).toEqual(['content: STRING_TYPE_REGEX']);
      expect(await faultsOf({ embeds: {} })).toEqual(['embeds: LIST_TYPE_CONVERT']);
      expect(await faultsOf({ embeds: [{}] })).toEqual(['embeds.0.description: BASE_TYPE_REQUIRED']);
      expect(await faultsOf({ embeds: Array(11).fill({ title: 'x' }) })).toEqual(['embeds: BASE_TYPE_BAD_LENGTH']);
      expect(await faultsOf({ embeds: [{ title: long(257), color: -1 }, { description: long(4097) }] })).toEqual([
        'embeds.0.title: BASE_TYPE_MAX_LENGTH',
        'embeds.0.color: NUMBER_TYPE_MIN',
        'embeds.1.description: BASE_TYPE_MAX_LENGTH',
      ]);
      expect(await faultsOf({ embeds: [{ title: 'x', fields: [{ name: 'a' }, { name: '', value: 'b' }] }] })).toEqual([
        'embeds.0.fields.0.value: BASE_TYPE_REQUIRED',
        'embeds.0.fields.1.name: BASE_TYPE_REQUIRED',
      ]);
      expect(await faultsOf({ embeds: [{ title: 'x', fields: Array(26).fill({ name: 'a', value: 'b' }) }] })).toEqual([
        'embeds.0.fields: BASE_TYPE_BAD_LENGTH',
      ]);
      expect(await faultsOf({ embeds: Array(2).fill({ description: long(3001) }) })).toEqual([
        'embeds: MAX_EMBED_SIZE_EXCEEDED',
      ]);
      expect(await faultsOf({ embeds: [{ title: 'x', timestamp: 'soon' }] })).toEqual([
        'embeds.0.timestamp: DATE_TIME_TYPE_PARSE',
      ]);
      expect(
        await faultsOf({ embeds: [{ title: 'x', url: 'javascript:alert(1)', image: { url: 'file:///x' } }] }),
      ).toEqual(['embeds.0.url: URL_TYPE_INVALID_SCHEME', 'embeds.0.image.url: URL_TYPE_INVALID_SCHEME']);
      const malformed = { url: 'https://', image: { url: 'https://example.org/a b.png' }, thumbnail: { url: 'http:' } };
      expect(await faultsOf({ embeds: [malformed] })).toEqual([
        'embeds.0.url: URL_TYPE_INVALID_URL',
        'embeds.0.image.url: URL_TYPE_INVALID_URL',
        'embeds.0.thumbnail.url: URL_TYPE_INVALID_URL',
      ]);
      expect(await faultsOf({ content: 'x', nonce: long(26) })).toEqual(['nonce: BASE_TYPE_MAX_LENGTH']);
      expect(await faultsOf({ content: 'x', tts: 'yes' })).toEqual(['tts: BOOLEAN_TYPE_CONVERT']);
      expect(await faultsOf({ content: 'x', flags: 1.5 })).toEqual(['flags: NUMBER_TYPE_COERCE']);
      expect(await faultsOf({ content: 'x', message_reference: {} })).toEqual([
        'message_reference.message_id: BASE_TYPE_REQUIRED',
      ]);
      expect(await faultsOf({ content: 'x', message_reference: { message_id: 'x' } })).toEqual([
        'message_reference.message_id: NUMBER_TYPE_COERCE',
      ]);
      expect(await faultsOf({ content: 'x', allowed_mentions: { parse: ['friends'] } })).toEqual([
        'allowed_mentions.parse.0: BASE_TYPE_CHOICES',
      ]);
      expect(await faultsOf({ content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } })).toEqual([
        'allowed_mentions: MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
      ]);
      expect(await faultsOf({ content: 'x', attachments: [{ id: 0, filename: 'nowhere.txt' }] })).toEqual([
        'attachments.0.id: ATTACHMENT_NOT_FOUND',
      ]);
      const button = { type: 2, style: 1, custom_id: 'x', label: '\u0000' };
      expect(await faultsOf({ components: [{ type: 1, components: [button] }] })).toEqual([
        'components.0.components.0.label: STRING_TYPE_REGEX',
      ]);
    });

    test('with a fault at message_reference if the referenced message does not exist', async () => {
      expect(await faultsOf({ content: 'x', message_reference: { message_id: '1' } })).toEqual([
        'message_reference: REPLIES_UNKNOWN_MESSAGE',
      ]);
    });

    test('for a faulty body, before the channel is looked up', async () => {
      const { status, body } = await scene.bot.post('/channels/1/messages', { content: 5.5 });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
    });

    test('with the name of an unsupported URL scheme', async () => {
      const { body } = await scene.bot.post(scene.messages, {
        embeds: [{ url: 'ttps://example.org', image: { url: '' } }],
      });
      expect(body.errors.embeds[0]).toEqual({
        url: {
          _errors: [
            {
              code: 'URL_TYPE_INVALID_SCHEME',
              message: "Scheme \"ttps\" is not supported. Scheme must be one of ('http', 'https').",
            },
          ],
        },
        image: {
          url: {
            _errors: [
              {
                code: 'URL_TYPE_INVALID_SCHEME',
                message: "Scheme \"\" is not supported. Scheme must be one of ('http', 'https', 'attachment').",
              },
            ],
          },
        },
      });
    });

    test('for U+0000 in any text', async () => {
      const nul = 'https://example.org/\u0000';
      for (const embed of [
        { url: nul },
        { image: { url: nul } },
        { footer: { text: nul } },
        { author: { name: nul } },
      ]) {
        expect(await faultsOf({ embeds: [{ title: 'x', ...embed }] })).toHaveLength(1);
      }
      expect(await faultsOf({ content: 'x', nonce: nul })).toEqual(['nonce: STRING_TYPE_REGEX']);
    });

    test('for a channel without messages (50008)', async () => {
      const channel = await createChannel(server.app, scene.guild.id, 'category', ChannelType.GuildCategory);
      const { status, body } = await scene.bot.post(`/channels/${channel.id}/messages`, { content: 'x' });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 50008 });
    });
  });

  describe('is 403', () => {
    test('for a bot outside the guild (50001)', async () => {
      const { status, body } = await scene.stranger.post(scene.messages, { content: 'x' });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 50001 });
    });
  });

  describe('is 404', () => {
    test('for a direct channel without participants (10003)', async () => {
      const { id } = await createDirectChannel(server.app);
      for (const path of [`/channels/${id}/messages`, `/channels/${id}/typing`]) {
        const { status, body } = await scene.bot.post(path, { content: 'x' });
        expect({ status, code: body.code }).toEqual({ status: 404, code: 10003 });
      }
    });
  });
});

describe('GET /channels/{id}/messages', () => {
  let page: Scene;
  let sent: string[];

  beforeAll(async () => {
    page = await openScene(server);
    sent = [];
    for (let n = 0; n < 7; n += 1) sent.push((await page.send({ content: `message ${n}` })).id);
  });

  const list = async (query: string) => (await page.bot.get(`${page.messages}${query}`)).body;

  test('200: lists the newest first, each in full', async () => {
    const messages = await list('');
    expect(idsOf(messages)).toEqual([...sent].reverse());
    for (const message of messages) expectReference('MessageResponse', message);
  });

  test('200: pages with before, after and around', async () => {
    const [first, second, third, fourth, fifth, sixth, seventh] = sent;
    expect(idsOf(await list('?limit=2'))).toEqual([seventh, sixth]);
    expect(idsOf(await list(`?before=${third}`))).toEqual([second, first]);
    expect(idsOf(await list(`?before=${fifth}&limit=1`))).toEqual([fourth]);
    expect(idsOf(await list(`?after=${fifth}`))).toEqual([seventh, sixth]);
    expect(idsOf(await list(`?after=${first}&limit=2`))).toEqual([third, second]);
    expect(idsOf(await list('?after=0&limit=2'))).toEqual([second, first]);
    expect(idsOf(await list(`?around=${fourth}&limit=3`))).toEqual([fifth, fourth, third]);
    expect(idsOf(await list(`?around=${fourth}&limit=1`))).toEqual([fourth]);
    expect(idsOf(await list(`?around=${seventh}&limit=4`))).toEqual([seventh, sixth]);
  });

  test('200: uses the first value of a repeated key, and ignores empty and unknown ones', async () => {
    expect(idsOf(await list('?limit=1&limit=5&before=&nothing=1&__proto__=x'))).toEqual([sent[6]]);
  });

  test('200: is empty for a bot that can see the channel but not its history', async () => {
    await page.permit(Permission.ViewChannel);
    expect(await list('')).toEqual([]);
    await page.permit(Permission.ViewChannel | Permission.SendMessages | Permission.ReadMessageHistory);
  });

  test.each([
    ['limit=0', 'NUMBER_TYPE_MIN'],
    ['limit=101', 'NUMBER_TYPE_MAX'],
    ['limit=ten', 'NUMBER_TYPE_COERCE'],
    ['limit=1e2', 'NUMBER_TYPE_COERCE'],
    ['before=x', 'NUMBER_TYPE_COERCE'],
    ['after=-1', 'NUMBER_TYPE_COERCE'],
  ])('400: refuses %s', async (query, code) => {
    const { status, body } = await page.bot.get(`${page.messages}?${query}`);
    const name = query.split('=', 1)[0] ?? '';
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 50035, errors: { [name]: { _errors: [{ code }] } } });
  });
});

describe('GET /channels/{id}/messages/{id}', () => {
  test('200: returns the message', async () => {
    const sent = await scene.send();
    const { status, body } = await scene.other.get(`${scene.messages}/${sent.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(sent);
  });

  test('404: a message of another channel is unknown (10008)', async () => {
    const elsewhere = await openScene(server);
    const sent = await elsewhere.send();
    const { status, body } = await scene.bot.get(`${scene.messages}/${sent.id}`);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 10008 });
  });
});

describe('PATCH /channels/{id}/messages/{id}', () => {
  test('200: returns the edited message', async () => {
    const sent = await scene.send();
    const { status, body } = await scene.bot.patch(`${scene.messages}/${sent.id}`, { content: 'edited' });
    expect(status).toBe(200);
    expectReference('MessageResponse', body);
    expect(body).toEqual({ ...sent, content: 'edited', edited_timestamp: expect.any(String) });
  });

  test('403: a message of another author cannot be edited (50005)', async () => {
    const sent = await scene.send();
    const { status, body } = await scene.other.patch(`${scene.messages}/${sent.id}`, { content: 'mine' });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 50005 });
  });

  test('400: an edit cannot leave the message empty (50006)', async () => {
    const sent = await scene.send();
    const { status, body } = await scene.bot.patch(`${scene.messages}/${sent.id}`, { content: null });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50006 });
  });
});

describe('DELETE /channels/{id}/messages/{id}', () => {
  test('is 204, and then 404 (10008)', async () => {
    const sent = await scene.send();
    expect((await scene.bot.delete(`${scene.messages}/${sent.id}`)).status).toBe(204);
    const { status, body } = await scene.bot.delete(`${scene.messages}/${sent.id}`);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 10008 });
  });

  test('204: deletes messages of others with ManageMessages, and audits the reason', async () => {
    const sent = await scene.send();
    const path = `${scene.messages}/${sent.id}`;
    expect((await scene.other.delete(path)).body.code).toBe(50013);
    await scene.permit(Permission.ViewChannel | Permission.SendMessages | Permission.ManageMessages);
    const headers = { 'x-audit-log-reason': encodeURIComponent('Spam 🙄') };
    expect((await scene.other.ask('DELETE', path, { headers })).status).toBe(204);
    const where = { guildId: scene.guild.id, action: 'MESSAGE_DELETE' };
    const [entry] = await server.app.db.reader.auditEntry.findMany({ where });
    expect(entry).toMatchObject({ action: 'MESSAGE_DELETE', actorId: scene.other.bot.id, reason: 'Spam 🙄' });
  });

  test('400: refuses a reason that is too long', async () => {
    const headers = { 'x-audit-log-reason': 'a'.repeat(513) };
    const { status, body } = await scene.bot.ask('DELETE', `${scene.messages}/1`, { headers });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 50035 });
  });
});

describe('the message-content rule', () => {
  test('without the intent, a bot reads only the content of its own messages and of those that mention it', async () => {
    const { app } = server;
    const room = await openScene(server);
    const deaf = await createBot(app, { privilegedIntents: ['GUILD_MEMBERS'] });
    await addMember(app, room.guild.id, deaf.user);
    const reader = new RestBot(server, deaf);
    const said = await room.send({ content: 'secret', embeds: [{ title: 'x' }], components: ONE_BUTTON });
    const mentions = await room.send({ content: `hi <@${deaf.id}>` });
    const own = (await reader.post(room.messages, { content: 'own' })).body;
    const replies = await room.send({ content: 'reply', message_reference: { message_id: said.id } });
    const { body } = await reader.get(room.messages);
    expect(idsOf(body)).toEqual([replies.id, own.id, mentions.id, said.id]);
    expect(body.map((message: Loose) => message.content)).toEqual(['', 'own', `hi <@${deaf.id}>`, '']);
    expect(body[3]).toMatchObject({ embeds: [], components: [], attachments: [] });
    expect(body[0].referenced_message.content).toBe('');
    expect((await reader.get(`${room.messages}/${said.id}`)).body.content).toBe('');
    expect((await room.other.get(`${room.messages}/${said.id}`)).body.content).toBe('secret');
  });
});
