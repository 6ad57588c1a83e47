import { formOf } from '../../../harness/rest.js';
import type { Operation } from '../../../harness/twins.js';

const GUILD = '/guilds/{guild}';
const MESSAGES = '/channels/{text}/messages';
const JSON_TYPE = { 'content-type': 'application/json' };

const IDS = [
  '0',
  '-1',
  '1',
  '00123',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(40),
  '%00',
  '%20',
  '@me',
  '%F0%9F%91%8D',
  '1e5',
  'null',
];

const BODIES = [
  '',
  ' ',
  'null',
  '[]',
  '"x"',
  '1',
  'true',
  '{"content":"a","content":"b"}',
  '\ufeff{"content":"x"}',
  '{"content":"\\ud800"}',
  '{"content":"\\u0000"}',
  '{"content":null}',
  '{"content":{"a":1}}',
  '{"embeds":null}',
  '{"embeds":{}}',
  '{"embeds":[null]}',
  '{"components":[[]]}',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  '{"__proto__":{"content":"x"}}',
  '{"content":"x","id":"1","guild_id":"2"}',
  '{"content":"x","nonce":18446744073709551615}',
  '{"content":"x","nonce":{"a":1}}',
  '{"content":"x","message_reference":{"message_id":123456789012345678}}',
  '{"content":"x","attachments":[{"id":"0"}]}',
  '{"content":"x","poll":{"question":{"text":"?"}}}',
];

const FILES: [string, FormDataEntry][] = [];
type FormDataEntry = { name: string; content: BlobPart; filename: string; type?: string };
for (const filename of [
  '../../etc/passwd',
  'ä/ö\\ü.txt',
  '😀.png',
  'x'.repeat(300),
  '.hidden',
  'a b  c.txt',
  'CON',
  '日本.html',
]) {
  FILES.push([filename, { name: 'files[0]', content: 'x', filename }]);
}
FILES.push(['no bytes', { name: 'files[0]', content: '', filename: 'e.bin' }]);
FILES.push(['another field', { name: 'file', content: 'x', filename: 'a.txt' }]);
FILES.push(['number 99', { name: 'files[99]', content: 'x', filename: 'a.txt' }]);
FILES.push(['no number', { name: 'files[]', content: 'x', filename: 'a.txt' }]);
FILES.push(['an image that is none', { name: 'files[0]', content: 'x', filename: 'a.png', type: 'image/png' }]);
FILES.push(['9 MiB', { name: 'files[0]', content: new Uint8Array(9 * 1024 * 1024), filename: 'a.bin' }]);

const REASONS = ['', '%', '%E4', '%F0%9F%8E%96'.repeat(42), 'x'.repeat(512), 'x%00y', '%0D%0Ax', 'a+b', 'ü'];

export const oddities: readonly Operation[] = [
  { ask: `POST ${MESSAGES}`, json: { content: 'one' }, keep: { message: 'id' } },
  ...IDS.flatMap((id): Operation[] => [
    { ask: `GET ${GUILD}/members/${id}` },
    { ask: `GET ${MESSAGES}/${id}` },
    { ask: `GET ${MESSAGES}?around=${id}` },
    { ask: `GET ${GUILD}/roles/${id}` },
    { ask: `GET ${MESSAGES}/{message}/reactions/${id}` },
    { ask: `PUT ${MESSAGES}/{message}/reactions/${id}/@me` },
    { ask: `PUT ${GUILD}/bans/${id}`, json: {} },
    { ask: `GET ${GUILD}/members?limit=5&after=${id}` },
    { ask: `GET ${GUILD}/audit-logs?limit=1&before=${id}`, but: { because: 'installs', compare: () => null } },
    { ask: `PATCH ${GUILD}/members/{mia}`, what: id, json: { roles: [id] } },
    { ask: `PATCH ${GUILD}/roles`, what: id, json: [{ id, position: 1 }] },
    { ask: `POST ${GUILD}/channels`, what: id, json: { name: 'x', parent_id: id } },
  ]),
  ...BODIES.flatMap((body): Operation[] => [
    { ask: `POST ${MESSAGES}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `PATCH ${MESSAGES}/{message}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `PATCH ${GUILD}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `PATCH ${GUILD}/members/{mia}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `PATCH ${GUILD}/voice-states/{mia}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `POST ${MESSAGES}/bulk-delete`, what: body.slice(0, 60), body, headers: JSON_TYPE },
    { ask: `PUT ${GUILD}/bans/{oto}`, what: body.slice(0, 60), body, headers: JSON_TYPE },
  ]),
  { ask: `DELETE ${GUILD}/bans/{oto}` },
  ...FILES.map(
    ([what, file]): Operation => ({ ask: `POST ${MESSAGES}`, what, form: () => formOf({ content: 'f' }, file) }),
  ),
  { ask: `POST ${MESSAGES}`, what: 'a form with fields', form: () => fields({ content: 'in a field', tts: 'false' }) },
  { ask: `POST ${MESSAGES}`, what: 'a form with nothing', form: () => fields({}) },
  {
    ask: `POST ${MESSAGES}`,
    what: 'a form of payloads',
    form: () => fields({ payload_json: '{"content":"x"}', other: 'y' }),
  },
  ...REASONS.map(
    (reason): Operation => ({
      ask: `PATCH ${GUILD}/members/@me`,
      what: `because ${reason.slice(0, 20)}`,
      json: { nick: `n${reason.length}` },
      headers: { 'x-audit-log-reason': reason },
    }),
  ),
  { ask: `GET ${GUILD}/audit-logs?action_type=24&limit=20` },
  ...[
    'text/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=latin1',
    'application/x-www-form-urlencoded',
    'x',
    'multipart/form-data; boundary="b c"',
  ].map(
    (type): Operation => ({
      ask: `POST ${MESSAGES}`,
      what: type,
      body: '{"content":"x"}',
      headers: { 'content-type': type },
    }),
  ),
  {
    ask: `POST ${MESSAGES}`,
    what: 'compressed',
    body: '{"content":"x"}',
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
  },
  ...[
    '?limit=1&limit=2',
    '?limit[]=1',
    '?limit=',
    '?limit=1.5',
    '?limit=%31',
    '?LIMIT=1',
    '?limit=1&x=%zz',
    '?&&=&',
    '?before=1&after=2&around=3',
    `?${'a'.repeat(3_000)}=1`,
  ].map((query): Operation => ({ ask: `GET ${MESSAGES}${query}` })),
  ...['OPTIONS', 'HEAD', 'PUT', 'TRACE_'].map((method): Operation => ({ ask: `${method} ${MESSAGES}` })),
  { ask: `HEAD ${GUILD}` },
  { ask: `GET ${GUILD}`, what: 'of a page elsewhere', headers: { origin: 'https://example.com' } },
  {
    ask: `OPTIONS ${GUILD}`,
    what: 'of a page elsewhere',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
  },
  { ask: `GET ${MESSAGES}/` },
  { ask: `GET ${GUILD}//roles` },
  { ask: 'GET /guilds/{guild}%2Froles' },
  { ask: 'GET /%67uilds/{guild}/roles' },
  { ask: 'GET /guilds/%7Bguild%7D' },
  { ask: `GET ${GUILD}/members/{foreign_mia}` },
  { ask: `PUT ${GUILD}/bans/{foreign_mia}`, json: {} },
  {
    ask: `POST ${MESSAGES}`,
    what: 'with strangers',
    json: { content: '<@{foreign_mia}> <#{foreign_text}> <@&{foreign_guild}>' },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'for strangers',
    json: { content: '<@{foreign_mia}>', allowed_mentions: { users: ['{foreign_mia}'] } },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'a reply elsewhere',
    json: {
      content: 'x',
      message_reference: { message_id: '{message}', channel_id: '{foreign_text}', guild_id: '{foreign_guild}' },
    },
  },
  { ask: `PUT ${GUILD}/members/{mia}/roles/{foreign_guild}` },
  { ask: `PATCH ${GUILD}/members/{mia}`, json: { roles: ['{foreign_guild}'] } },
  { ask: `PATCH ${GUILD}/members/{mia}`, json: { channel_id: '{foreign_text}' } },
  { ask: `POST ${GUILD}/channels`, json: { name: 'x', parent_id: '{foreign_text}' } },
  {
    ask: `POST ${GUILD}/channels`,
    json: { name: 'x', permission_overwrites: [{ id: '{foreign_guild}', type: 0, allow: '0', deny: '0' }] },
  },
  {
    ask: `POST ${GUILD}/channels`,
    json: { name: 'hidden', permission_overwrites: [{ id: '{guild}', type: 0, allow: '0', deny: '1024' }] },
    keep: { hidden: 'id' },
  },
  { ask: 'GET /channels/{hidden}', by: 'plain' },
  { ask: 'POST /channels/{hidden}/messages', by: 'plain', json: { content: 'x' } },
  { ask: 'POST /channels/{hidden}/messages', json: { content: 'x' }, keep: { secret: 'id' } },
  { ask: 'GET /channels/{hidden}/messages/{secret}', by: 'plain' },
  {
    ask: 'PATCH /channels/{hidden}',
    json: { permission_overwrites: [{ id: '{mia}', type: 1, allow: '1024', deny: '0' }] },
  },
  { ask: `GET ${GUILD}/channels`, by: 'plain' },
  {
    ask: `POST ${MESSAGES}`,
    what: 'long embeds',
    json: { embeds: Array.from({ length: 10 }, () => ({ description: '\u0001'.repeat(590) })) },
  },
  {
    ask: `POST ${MESSAGES}`,
    what: 'embeds that are too long',
    json: { embeds: Array.from({ length: 10 }, () => ({ description: 'x'.repeat(700) })) },
  },
];

function fields(values: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  return form;
}
