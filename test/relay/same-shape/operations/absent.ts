import type { Operation } from '../../../harness/twins.js';

const GUILD = '/guilds/{guild}';
const NAME = { name: 'x' };

const notFound = (ask: string, json?: unknown): Operation => ({ ask, status: 404, code: 0, ...(json ? { json } : {}) });
const notImplemented = (ask: string, json: unknown): Operation => ({ ask, status: 501, code: 0, json });

/** Operations that do not work on a box, and their responses (service description, sections 4 and 7). */
export const absentOnBoxes: readonly Operation[] = [
  notImplemented(`PATCH ${GUILD}/vanity-url`, { code: 'x' }),
  notImplemented('PUT /channels/{text}/permissions/{guild}', { type: 0, allow: '0', deny: '0' }),
  { ask: 'DELETE /channels/{text}/permissions/{nothing}', status: 204 },
  notImplemented(`PATCH ${GUILD}/voice-states/{mia}`, { deaf: true }),
  notImplemented(`PATCH ${GUILD}/voice-states/{mia}`, { deaf: false, mute: true }),
  notImplemented(`PATCH ${GUILD}/voice-states/@me`, { deaf: true }),
  notImplemented(`PATCH ${GUILD}/members/{mia}`, { deaf: true }),
  notImplemented(GUILD.replace(/^/, 'PATCH '), { name: 'New', afk_timeout: 60 }),
  notImplemented(`PATCH ${GUILD}`, { owner_id: '{mia}' }),
  notFound(`PUT ${GUILD}/members/{oto}`, { access_token: 'x' }),
  notFound(`GET ${GUILD}/prune`),
  notFound(`POST ${GUILD}/prune`, { days: 7 }),
  notFound(`POST ${GUILD}/bulk-ban`, { user_ids: ['{oto}'] }),
  notFound(`GET ${GUILD}/roles/member-counts`),
  notFound(`POST ${GUILD}/emojis`, { ...NAME, image: 'data:image/png;base64,' }),
  notFound(`PATCH ${GUILD}/emojis/{nothing}`, NAME),
  notFound(`DELETE ${GUILD}/emojis/{nothing}`),
  notFound('GET /channels/{text}/invites'),
  notFound('POST /channels/{text}/invites', {}),
  notFound(`GET ${GUILD}/invites`),
  notFound('GET /applications/{bot}/guilds/{guild}/commands'),
  notFound('POST /applications/{bot}/guilds/{guild}/commands', { ...NAME, description: 'x' }),
  notFound('PUT /applications/{bot}/guilds/{guild}/commands', []),
  notFound('GET /applications/{bot}/guilds/{guild}/commands/{nothing}'),
  notFound('PATCH /applications/{bot}/guilds/{guild}/commands/{nothing}', NAME),
  notFound('DELETE /applications/{bot}/guilds/{guild}/commands/{nothing}'),
  // For user tokens only, on any server.
  {
    ask: 'PUT /applications/{bot}/guilds/{guild}/commands/{nothing}/permissions',
    json: { permissions: [] },
    status: 403,
    code: 20001,
  },
  ...[
    'scheduled-events',
    'auto-moderation/rules',
    'stickers',
    'templates',
    'threads/active',
    'regions',
    'widget',
    'widget.json',
    'welcome-screen',
    'onboarding',
    'preview',
    'integrations',
  ].map((path) => notFound(`GET ${GUILD}/${path}`)),
];
