import { formOf } from '../../../harness/rest.js';
import type { Operation, Twin } from '../../../harness/twins.js';
import { say } from '../../../harness/world.js';

const MESSAGES = '/channels/{text}/messages';

const FIELDS = Array.from({ length: 25 }, (_, n) => ({ name: `field ${n}`, value: 'v', inline: n % 2 === 0 }));

const EMBED = {
  title: 'Title',
  description: '**bold** <@{mia}> <#{text}>',
  url: 'https://example.com/',
  color: 0xff00ff,
  timestamp: '2026-01-02T03:04:05.678Z',
  footer: { text: 'footer', icon_url: 'https://example.com/f.png' },
  image: { url: 'https://example.com/i.png' },
  thumbnail: { url: 'https://example.com/t.png' },
  author: { name: 'author', url: 'https://example.com/a' },
  fields: FIELDS,
};

const COMPONENTS = [
  {
    type: 1,
    components: [
      { type: 2, style: 1, label: 'press', custom_id: 'press' },
      { type: 2, style: 5, label: 'go', url: 'https://example.com/' },
    ],
  },
  { type: 1, components: [{ type: 3, custom_id: 'pick', options: [{ label: 'a', value: 'b' }] }] },
];

/**
 * Text in many scripts, with difficult parts: both directions, joined emojis, characters outside of the basic plane,
 * control characters.
 */
export const SCRIPTS =
  'Grüße Ωμέγα привет שלום مرحبا हिन्दी ไทย 日本語 한국어 👩‍👩‍👧‍👦 🇩🇪 𝔘𝔫𝔦 \u202eabc\u202c \u0007 "\\" </script> \n\ttab';

const file = (n: number, content = `file ${n}`) => ({
  name: `files[${n}]`,
  content,
  filename: `f${n}.txt`,
  type: 'text/plain',
});

const keep = { message: 'id' };

const saidBy =
  (name: 'mia' | 'owner', as: string, content = 'said') =>
  async ({ home, guild, names, people }: Twin) => {
    const { id } = await say(home.app, guild, people[name], content);
    names.set(as, String(id));
  };

export const messageOperations: readonly Operation[] = [
  { ask: `POST ${MESSAGES}`, what: 'with content', json: { content: 'hello' }, keep },
  { ask: `POST ${MESSAGES}`, what: 'in all scripts', json: { content: SCRIPTS } },
  { ask: `POST ${MESSAGES}`, what: 'with 2,000 characters', json: { content: 'é'.repeat(2_000) } },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with mentions',
    json: {
      content: '<@{mia}> <@&{guild}> @everyone <#{text}> <@{bot}> <@{plain}>',
      allowed_mentions: { parse: ['users'] },
    },
  },
  { ask: `POST ${MESSAGES}`, what: 'with an embed of 25 fields', json: { embeds: [EMBED] }, keep: { embedded: 'id' } },
  { ask: `POST ${MESSAGES}`, what: 'with components', json: { content: 'c', components: COMPONENTS } },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with components of the second version',
    json: { flags: 1 << 15, components: [{ type: 17, components: [{ type: 10, content: 'text' }, { type: 14 }] }] },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'as a reply',
    json: { content: 'r', message_reference: { message_id: '{message}' } },
    keep: { reply: 'id' },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: "as a reply to a person's",
    before: saidBy('mia', 'said'),
    json: { content: 'r', message_reference: { message_id: '{said}', channel_id: '{text}', guild_id: '{guild}' } },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'as a reply to nothing that may be missing',
    json: { content: 'r', message_reference: { message_id: '123456789012345678', fail_if_not_exists: false } },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with a nonce',
    json: { content: 'n', nonce: 'once', enforce_nonce: true },
    keep: { nonced: 'id' },
  },
  { ask: `POST ${MESSAGES}`, what: 'with the same nonce', json: { content: 'n', nonce: 'once', enforce_nonce: true } },
  { ask: `POST ${MESSAGES}`, what: 'with a nonce that is a number', json: { content: 'n', nonce: 12345 } },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with flags',
    json: { content: 'https://example.com', flags: (1 << 2) | (1 << 12), tts: false },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with a file',
    form: () => formOf({ content: 'f', attachments: [{ id: 0, description: 'ünï' }] }, file(0)),
    keep: { filed: 'id', attachment: 'attachments.0.id' },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with 10 files',
    form: () => formOf({}, ...Array.from({ length: 10 }, (_, n) => file(n))),
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with a file of no name',
    form: () => formOf({}, { name: 'files[0]', content: '', filename: 'Ünï "x" ö.txt' }),
  },
  { ask: `GET ${MESSAGES}` },
  { ask: `GET ${MESSAGES}?limit=2` },
  { ask: `GET ${MESSAGES}?around={message}&limit=3` },
  { ask: `GET ${MESSAGES}?before={message}` },
  { ask: `GET ${MESSAGES}?after={message}&limit=100` },
  { ask: `GET ${MESSAGES}/{message}` },
  { ask: `GET ${MESSAGES}/{embedded}` },
  { ask: `GET ${MESSAGES}/{reply}` },
  { ask: `HEAD ${MESSAGES}/{message}` },
  { ask: `PATCH ${MESSAGES}/{message}`, json: { content: 'edited' } },
  { ask: `PATCH ${MESSAGES}/{message}`, what: 'with nothing', json: {} },
  { ask: `PATCH ${MESSAGES}/{embedded}`, json: { embeds: [], content: 'now text', flags: 4 } },
  {
    ask: `PATCH ${MESSAGES}/{filed}`,
    what: 'with another file',
    form: () => formOf({ content: 'g' }, file(3, 'more')),
  },
  { ask: `PATCH ${MESSAGES}/{filed}`, what: 'without its files', json: { attachments: [] } },
  { ask: `GET ${MESSAGES}`, what: 'by another bot', by: 'plain' },
  { ask: `POST ${MESSAGES}`, what: 'by another bot', by: 'plain', json: { content: 'plain' }, keep: { others: 'id' } },
  { ask: 'POST /channels/{text}/typing' },
  { ask: 'POST /channels/{text}/typing', what: 'with a body', json: {} },
  { ask: 'PUT /channels/{text}/pins/{message}', headers: { 'x-audit-log-reason': 'because%20%C3%BC' } },
  { ask: 'PUT /channels/{text}/messages/pins/{embedded}' },
  { ask: 'GET /channels/{text}/pins' },
  { ask: 'GET /channels/{text}/messages/pins' },
  { ask: 'GET /channels/{text}/messages/pins?limit=1' },
  { ask: `GET ${MESSAGES}?limit=2`, what: 'with what was told of pins' },
  { ask: 'DELETE /channels/{text}/pins/{message}' },
  { ask: 'DELETE /channels/{text}/messages/pins/{embedded}' },
  { ask: `PUT ${MESSAGES}/{message}/reactions/%F0%9F%91%8D/@me` },
  { ask: `PUT ${MESSAGES}/{message}/reactions/%F0%9F%91%8D/@me`, what: 'by another bot', by: 'plain' },
  { ask: `PUT ${MESSAGES}/{message}/reactions/%E2%9D%A4%EF%B8%8F/%40me` },
  { ask: `GET ${MESSAGES}/{message}`, what: 'with reactions' },
  { ask: `GET ${MESSAGES}/{message}/reactions/%F0%9F%91%8D` },
  { ask: `GET ${MESSAGES}/{message}/reactions/%F0%9F%91%8D?limit=1` },
  { ask: `DELETE ${MESSAGES}/{message}/reactions/%F0%9F%91%8D/@me` },
  { ask: `DELETE ${MESSAGES}/{message}/reactions/%F0%9F%91%8D/{plain}` },
  { ask: `DELETE ${MESSAGES}/{message}/reactions/%E2%9D%A4%EF%B8%8F` },
  { ask: `PUT ${MESSAGES}/{message}/reactions/%E2%9C%85/@me` },
  { ask: `DELETE ${MESSAGES}/{message}/reactions` },
  { ask: `DELETE ${MESSAGES}/{others}`, what: "another's", headers: { 'x-audit-log-reason': 'gone' } },
  { ask: `DELETE ${MESSAGES}/{message}` },
  { ask: `POST ${MESSAGES}/bulk-delete`, json: { messages: ['{embedded}', '{reply}', '{nonced}'] } },
];
