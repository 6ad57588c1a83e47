import { z } from 'zod';
import { requireOwnBot } from '../../domain/applications/index.js';
import { DomainError } from '../../domain/errors.js';
import type { GuildOperation } from '../../domain/guild-operations.js';
import { accessGuild, getGuildPreview, listIntegrations } from '../../domain/guilds/index.js';
import { renderGuildPreview, renderIntegration } from '../../wire/guild-previews.js';
import { reads, writes } from '../buckets.js';
import { CLOUD, onServerOf, type Route, route } from '../route.js';
import { ids } from '../schemas.js';

const REGIONS = [{ id: 'local', name: 'Local', custom: false, deprecated: false, optimal: true }];

/** Guild features that do not exist: summary, required operation (docs/permissions.md), and response. */
const OF_GUILD: [path: string, summary: string, operation: GuildOperation, answer: unknown][] = [
  ['scheduled-events', "List a server's scheduled events", 'viewGuild', []],
  ['auto-moderation/rules', "List a server's auto moderation rules", 'viewGuildSettings', []],
  ['stickers', "List a server's stickers", 'viewGuild', []],
  ['templates', "List a server's templates", 'viewGuildSettings', []],
  ['threads/active', "List a server's active threads", 'viewGuild', { threads: [], members: [], has_more: false }],
  ['regions', "List a server's voice regions", 'viewGuild', REGIONS],
  ['widget', "Get a server's widget settings", 'viewGuildSettings', { enabled: false, channel_id: null }],
];

const OF_APPLICATION: [path: string, summary: string, answer: unknown][] = [
  ['skus', "List an application's SKUs", []],
  ['entitlements', "List an application's entitlements", []],
  ['role-connections/metadata', "List an application's role connection metadata", []],
];

const AT_LARGE: [path: string, summary: string, callers: Route['callers'], answer: unknown][] = [
  ['/voice/regions', 'List the voice regions', ['bot'], REGIONS],
  ['/sticker-packs', 'List the sticker packs', [], { sticker_packs: [] }],
  ['/soundboard-default-sounds', 'List the default soundboard sounds', ['bot'], []],
  ['/applications/detectable', 'List the detectable applications', [], []],
];

const NO_SUCH_FEATURE = 'Causeway does not have this feature: the response is always the same.';

const bucketName = (path: string) => path.replace(/^\//, '').replaceAll('/', '-');
const inGuild = ids('guildId');
const elsewhereNotFound = { by: 'guildId', selfHosted: 'notFound' } as const;

/** Libraries request these features, which the service lacks. The routes respond as if there were none. */
export const absentRoutes: readonly Route[] = [
  ...OF_GUILD.map(([path, summary, operation, answer]) =>
    route({
      method: 'GET',
      path: `/guilds/:guildId/${path}`,
      summary,
      description: NO_SUCH_FEATURE,
      callers: ['bot'],
      bucket: reads(bucketName(path), 'guildId'),
      where: elsewhereNotFound,
      params: inGuild,
      run: (call, { params }) => accessGuild(call, params.guildId, operation),
      render: () => answer,
    }),
  ),
  ...OF_APPLICATION.map(([path, summary, answer]) =>
    route({
      method: 'GET',
      path: `/applications/:applicationId/${path}`,
      summary,
      description: NO_SUCH_FEATURE,
      callers: ['bot'],
      bucket: reads(bucketName(path), 'applicationId'),
      where: CLOUD,
      params: ids('applicationId'),
      run: async (call, { params }) => requireOwnBot(call, params.applicationId),
      render: () => answer,
    }),
  ),
  ...AT_LARGE.map(([path, summary, callers, answer]) =>
    route({
      method: 'GET',
      path,
      summary,
      description: NO_SUCH_FEATURE,
      callers,
      bucket: reads(bucketName(path)),
      where: CLOUD,
      params: z.object({}),
      run: async () => null,
      render: () => answer,
    }),
  ),
  route({
    method: 'GET',
    path: '/guilds/:guildId/soundboard-sounds',
    summary: "List a server's soundboard sounds",
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('soundboard-sounds', 'guildId'),
    where: onServerOf('guildId'),
    params: inGuild,
    run: (call, { params }) => accessGuild(call, params.guildId, 'viewGuild'),
    render: () => ({ items: [] }),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/soundboard-sounds/:soundId',
    summary: 'Get a soundboard sound',
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('soundboard-sound', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId', 'soundId'),
    async run(call, { params }) {
      await accessGuild(call, params.guildId, 'viewGuild');
      throw new DomainError('UNKNOWN_SOUND');
    },
  }),
  route({
    method: 'GET',
    path: '/stickers/:stickerId',
    summary: 'Get a sticker',
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('sticker', 'stickerId'),
    where: CLOUD,
    params: ids('stickerId'),
    async run() {
      throw new DomainError('UNKNOWN_STICKER');
    },
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/widget.json',
    summary: "Get a server's public widget",
    description: NO_SUCH_FEATURE,
    callers: [],
    bucket: reads('widget-json', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    async run(call, { params }) {
      throw new DomainError((await call.guilds.view(params.guildId)) ? 'WIDGET_DISABLED' : 'UNKNOWN_GUILD');
    },
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/welcome-screen',
    summary: "Get a server's welcome screen",
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('welcome-screen', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    run: (call, { params }) => accessGuild(call, params.guildId, 'viewGuildSettings'),
    render: () => ({ description: null, welcome_channels: [] }),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/onboarding',
    summary: "Get a server's onboarding",
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('onboarding', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    run: (call, { params }) => accessGuild(call, params.guildId, 'viewGuild'),
    render: ({ guildId }) => ({
      guild_id: String(guildId),
      prompts: [],
      default_channel_ids: [],
      enabled: false,
      mode: 0,
    }),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/vanity-url',
    summary: "Get a server's vanity URL",
    description: NO_SUCH_FEATURE,
    callers: ['bot'],
    bucket: reads('vanity-url', 'guildId'),
    where: onServerOf('guildId'),
    params: inGuild,
    run: (call, { params }) => accessGuild(call, params.guildId, 'viewGuildSettings'),
    render: () => ({ code: null, uses: 0 }),
  }),
  route({
    method: 'PATCH',
    path: '/guilds/:guildId/vanity-url',
    summary: "Edit a server's vanity URL",
    description: 'Causeway does not have this feature: every code is refused as taken.',
    callers: ['bot'],
    bucket: writes('edit-vanity-url', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notImplemented' },
    params: inGuild,
    body: z.object({ code: z.string().nullish() }),
    async run(call, { params, body }) {
      await accessGuild(call, params.guildId, 'viewGuildSettings');
      if (body.code) throw new DomainError('INVITE_CODE_TAKEN');
    },
    status: 200,
    render: () => ({ code: null, uses: 0 }),
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/preview',
    summary: "Get a server's preview",
    callers: ['bot'],
    bucket: reads('preview', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    run: (call, { params }) => getGuildPreview(call, params.guildId),
    render: renderGuildPreview,
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/integrations',
    summary: "List a server's integrations",
    callers: ['bot'],
    bucket: reads('integrations', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    run: (call, { params }) => listIntegrations(call, params.guildId),
    render: (integrations) => integrations.map(renderIntegration),
  }),
];
