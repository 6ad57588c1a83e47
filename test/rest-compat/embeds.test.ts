import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { goodEmbeds, shownEmbed } from '../harness/embeds.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const post = (json: object) => scene.bot.post(scene.messages, json);
const edit = (id: string, json: object) => scene.bot.patch(`${scene.messages}/${id}`, json);

/** Returns an embed as libraries send it back, with the fields that they add. */
function asReceived(embed: Loose): Loose {
  const picture = (shown: Loose) =>
    shown && { proxy_url: 'https://b.example', width: 3, height: 2, flags: 0, ...shown };
  const icon = (shown: Loose) => shown && { proxy_icon_url: 'https://b.example', ...shown };
  return {
    ...embed,
    ...{ image: picture(embed.image), thumbnail: picture(embed.thumbnail) },
    ...{ author: icon(embed.author), footer: icon(embed.footer) },
    ...{ provider: { name: 'x' }, video: { url: null, height: 0 }, flags: 0, content_scan_version: 1, id: '1' },
  };
}

test('any valid embeds are shown in full, and sending them back changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(goodEmbeds, async (embeds) => {
      const shown = embeds.map(shownEmbed);
      const { status, body } = await post({ embeds });
      expect([status, body.embeds]).toEqual([200, shown]);
      const edited = await edit(body.id, { embeds: body.embeds.map(asReceived) });
      expect([edited.status, edited.body.embeds]).toEqual([200, shown]);
      expect((await scene.bot.get(`${scene.messages}/${body.id}`)).body.embeds).toEqual(shown);
    }),
    { numRuns: 12 },
  );
});

test('several embeds with the same URL are all shown', async () => {
  const embeds = [1, 2, 3, 4].map((n) => ({ url: 'https://a.example', image: { url: `https://a.example/${n}.png` } }));
  expect((await post({ embeds })).body.embeds).toEqual(embeds.map((embed) => ({ type: 'rich', ...embed })));
});

describe('an edit is refused', () => {
  const described = (...lengths: number[]) => lengths.map((length) => ({ description: 'x'.repeat(length) }));
  test.each([
    ['whose embeds have more than 6,000 characters', described(4_096, 1_905), ['MAX_EMBED_SIZE_EXCEEDED']],
    ['with eleven of them', described(...Array(11).fill(1)), ['BASE_TYPE_BAD_LENGTH']],
  ])('%s', async (_, embeds, codes) => {
    const { id } = await scene.send({ embeds: described(4_096) });
    const { status, body } = await edit(id, { embeds });
    expect([status, body.errors.embeds._errors.map(({ code }: Loose) => code)]).toEqual([400, codes]);
    expect((await edit(id, { embeds: described(4_096, 1_904) })).status).toBe(200);
  });
});

describe('an embed that is hard to parse', () => {
  const send = (json: string) =>
    scene.bot.ask('POST', scene.messages, { body: json, headers: { 'content-type': 'application/json' } });

  test.each([
    ['names of prototypes', '{"title":"x","__proto__":{"title":"y"},"constructor":{"prototype":{}},"toString":null}'],
    ['a long number next to it', '{"title":"x","__proto__":{"title":"y"},"id":12345678901234567890}'],
    ['unknown fields, fifty deep', `{"title":"x","more":${'['.repeat(50)}${']'.repeat(50)}}`],
  ])('%s', async (_, embed) => {
    const { status, body } = await send(`{"embeds":[${embed}]}`);
    expect([status, body.embeds]).toEqual([200, [{ type: 'rich', title: 'x' }]]);
    expect(Object.hasOwn(Object.prototype, 'title')).toBe(false);
  });

  test('lone surrogates', async () => {
    const { body } = await send(
      '{"embeds":[{"title":"\\ud83e","fields":[{"name":"\\udd89\\ud83e","value":"\\ud83e\\udd89"}]}]}',
    );
    expect(body.embeds).toEqual([
      { type: 'rich', title: '\ufffd', fields: [{ name: '\ufffd\ufffd', value: '🦉', inline: false }] },
    ]);
  });

  test('lists in place of an embed or a text', async () => {
    const { body } = await send('{"embeds":[[[[]]],{"title":[[]],"fields":[[[]]]}]}');
    expect(body.errors.embeds).toMatchObject({ 0: { _errors: [{}] }, 1: { title: { _errors: [{}] }, fields: {} } });
  });
});

describe('an image of an embed', () => {
  /** A PNG header with a size of 3 by 2. */
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000030000000208060000009d7481e8', 'hex');
  const file = (filename: string, n = 0) => ({ name: `files[${n}]`, content: PNG, filename, type: 'image/png' });
  const upload = async (payload: object, ...files: ReturnType<typeof file>[]) =>
    (await scene.bot.ask('POST', scene.messages, { form: formOf(payload, ...files) })).body;
  const showing = (url: string) => ({
    image: { url },
    thumbnail: { url },
    author: { name: 'x', icon_url: url },
    footer: { text: 'x', icon_url: url },
  });
  const WITHOUT = { type: 'rich', author: { name: 'x' }, footer: { text: 'x' } };

  function shownWith({ url, proxy_url, width, height, content_type }: Loose) {
    const picture = { url, proxy_url, width, height, content_type };
    const icon = { icon_url: url, proxy_icon_url: proxy_url };
    return {
      type: 'rich',
      image: picture,
      thumbnail: picture,
      author: { name: 'x', ...icon },
      footer: { text: 'x', ...icon },
    };
  }

  test.each([
    ['cat.png', 'attachment://cat.png'],
    ['cat.JPEG', 'ATTACHMENT://cat.JPEG'],
    ['my cat (1).webp', 'attachment://my cat (1).webp'],
    ['my cat (1).gif', 'attachment://my_cat_1_.gif'],
    ['u\u0308ber größe.jpg', 'attachment://über größe.jpg'],
    ['猫.png', 'attachment://猫.png'],
    [`${'x'.repeat(200)}.png`, `attachment://${'x'.repeat(200)}.png`],
    ['a%20b.png', 'attachment://a%20b.png'],
  ])('shows the uploaded file %s at %s', async (filename, url) => {
    const { embeds, attachments } = await upload({ embeds: [showing(url)] }, file(filename));
    expect(embeds).toEqual([shownWith(attachments[0])]);
    expect(attachments[0]).toMatchObject({ width: 3, height: 2, content_type: 'image/png' });
    expect((await fetch(embeds[0].image.url)).status).toBe(200);
  });

  test('shows the file by the filename in its attachment entry', async () => {
    const notes = { attachments: [{ id: 0, filename: 'other.png' }] };
    const { embeds, attachments } = await upload(
      { ...notes, embeds: [showing('attachment://other.png')] },
      file('a.png'),
    );
    expect(embeds).toEqual([shownWith(attachments[0])]);
  });

  test.each([
    ['that was not sent', 'attachment://dog.png'],
    ['that is no picture', 'attachment://cat.txt'],
    ['whose name is written as in an address', 'attachment://c%61t.png'],
    ['that stands in a folder', 'attachment://x/cat.png'],
  ])('is omitted if it references a file %s', async (_, url) => {
    const { embeds } = await upload({ embeds: [showing(url)] }, file('cat.png'), file('cat.txt', 1));
    expect(embeds).toEqual([WITHOUT]);
  });

  test('appears and disappears with its file when the message is edited', async () => {
    const { id } = await scene.send({ embeds: [showing('attachment://late.png')] });
    const at = `${scene.messages}/${id}`;
    expect((await scene.bot.get(at)).body.embeds).toEqual([WITHOUT]);
    const added = (await scene.bot.ask('PATCH', at, { form: formOf({}, file('late.png')) })).body;
    expect(added.embeds).toEqual([shownWith(added.attachments[0])]);
    const [kept] = added.attachments;
    const more = await scene.bot.ask('PATCH', at, { form: formOf({ attachments: [{ id: kept.id }] }, file('b.png')) });
    expect(more.body.embeds).toEqual([shownWith(kept)]);
    expect((await edit(id, { attachments: [] })).body.embeds).toEqual([WITHOUT]);
  });

  test('stays when a client sends the embeds and attachments back', async () => {
    const { id, embeds, attachments } = await upload({ embeds: [showing('attachment://cat.png')] }, file('cat.png'));
    const edited = await edit(id, { embeds, attachments });
    expect(edited.body).toMatchObject({ embeds, attachments });
    expect((await edit(id, { embeds: [showing('attachment://cat.png')] })).body.embeds).toEqual(embeds);
  });
});
