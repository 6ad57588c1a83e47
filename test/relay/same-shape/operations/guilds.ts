import type { Operation } from '../../../harness/twins.js';
import { exceptInstalls } from './audit-log.js';

const GUILD = '/guilds/{guild}';
const ROLES = `${GUILD}/roles`;
const CHANNELS = `${GUILD}/channels`;

export const guildOperations: readonly Operation[] = [
  { ask: `GET ${GUILD}` },
  { ask: `GET ${GUILD}?with_counts=true` },
  { ask: `GET ${GUILD}`, by: 'plain' },
  { ask: `PATCH ${GUILD}`, json: { name: 'Zwillinge' }, headers: { 'x-audit-log-reason': '%E2%9C%93' } },
  { ask: `PATCH ${GUILD}`, json: { description: 'Ω' } },
  { ask: `PATCH ${GUILD}`, json: { name: 'Twin', description: null } },
  { ask: `PATCH ${GUILD}`, what: 'nothing', json: {} },
  { ask: `GET ${GUILD}/emojis` },
  { ask: `GET ${GUILD}/soundboard-sounds` },
  { ask: `GET ${GUILD}/soundboard-sounds/123456789012345678`, status: 404 },
  { ask: `GET ${GUILD}/emojis/123456789012345678`, status: 404, code: 10014 },
  { ask: `GET ${GUILD}/vanity-url` },
];

export const roleOperations: readonly Operation[] = [
  { ask: `GET ${ROLES}` },
  { ask: `GET ${ROLES}/{guild}` },
  { ask: `POST ${ROLES}`, what: 'without a body', keep: { bare: 'id' } },
  {
    ask: `POST ${ROLES}`,
    json: { name: 'Rôle', color: 0x123456, hoist: true, mentionable: true, permissions: '1024' },
    headers: { 'x-audit-log-reason': 'new' },
    keep: { role: 'id' },
  },
  { ask: `GET ${ROLES}/{role}` },
  { ask: `PATCH ${ROLES}/{role}`, json: { name: 'other', color: 0, permissions: '2048' } },
  { ask: `PATCH ${ROLES}/{role}`, what: 'nothing', json: {} },
  {
    ask: `PATCH ${ROLES}`,
    json: [
      { id: '{role}', position: 2 },
      { id: '{bare}', position: 1 },
    ],
  },
  { ask: `PATCH ${ROLES}/{guild}`, what: '@everyone', json: { permissions: '104324673' } },
  { ask: `GET ${ROLES}`, what: 'sorted' },
  { ask: `DELETE ${ROLES}/{bare}`, headers: { 'x-audit-log-reason': 'bye' } },
  { ask: `GET ${GUILD}/audit-logs`, but: exceptInstalls },
];

export const channelOperations: readonly Operation[] = [
  { ask: 'GET /channels/{text}' },
  { ask: 'GET /channels/{voice}' },
  { ask: `GET ${CHANNELS}` },
  { ask: `POST ${CHANNELS}`, json: { name: 'new' }, keep: { made: 'id' }, headers: { 'x-audit-log-reason': 'c' } },
  { ask: `POST ${CHANNELS}`, what: 'a category', json: { name: 'Kategorie', type: 4 }, keep: { category: 'id' } },
  {
    ask: `POST ${CHANNELS}`,
    what: 'in the category',
    json: { name: 'in', type: 0, parent_id: '{category}', topic: 'Thema', nsfw: true, rate_limit_per_user: 5 },
    keep: { inner: 'id' },
  },
  {
    ask: `POST ${CHANNELS}`,
    what: 'for voice',
    json: { name: 'talk', type: 2, bitrate: 64_000, user_limit: 5 },
    keep: { talk: 'id' },
  },
  { ask: 'PATCH /channels/{made}', json: { name: 'renamed', topic: '主題' } },
  { ask: 'PATCH /channels/{made}', json: { parent_id: '{category}', rate_limit_per_user: 0 } },
  { ask: 'PATCH /channels/{talk}', json: { user_limit: 0 } },
  { ask: 'PATCH /channels/{made}', what: 'nothing', json: {} },
  {
    ask: 'PATCH /channels/{made}',
    what: 'with overwrites',
    json: { permission_overwrites: [{ id: '{guild}', type: 0, allow: '0', deny: '2048' }] },
  },
  { ask: 'DELETE /channels/{made}/permissions/{guild}', headers: { 'x-audit-log-reason': 'o' } },
  { ask: 'GET /channels/{made}', what: 'without overwrites' },
  {
    ask: `PATCH ${CHANNELS}`,
    json: [
      { id: '{made}', position: 3 },
      { id: '{text}', position: 2 },
    ],
  },
  { ask: `GET ${CHANNELS}`, what: 'sorted' },
  { ask: `GET ${CHANNELS}`, what: 'by another bot', by: 'plain' },
  { ask: 'DELETE /channels/{inner}', headers: { 'x-audit-log-reason': 'gone' } },
  { ask: 'DELETE /channels/{category}' },
  { ask: 'DELETE /channels/{talk}' },
  { ask: 'GET /channels/{talk}', what: 'that is gone', status: 404, code: 10003 },
  { ask: `GET ${GUILD}/audit-logs?limit=100`, but: exceptInstalls },
];
