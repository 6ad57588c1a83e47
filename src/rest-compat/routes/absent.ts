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

/** Guild features that do not exist: response, and required operation (docs/permissions.md). */
const OF_GUILD: [path: string, operation: GuildOperation, answer: unknown][] = [
  ['scheduled-events', 'viewGuild', []],
  ['auto-moderation/rules', 'viewGuildSettings', []],
  ['stickers', 'viewGuild', []],
  ['templates', 'viewGuildSettings', []],
  ['threads/active', 'viewGuild', { threads: [], members: [], has_more: false }],
  ['regions', 'viewGuild', REGIONS],
  ['widget', 'viewGuildSettings', { enabled: false, channel_id: null }],
];

const OF_APPLICATION: [path: string, answer: unknown][] = [
  ['skus', []],
  ['entitlements', []],
  ['role-connections/metadata', []],
];

/** Other resources that do not exist. */
const AT_LARGE: [path: string, callers: Route['callers'], answer: unknown][] = [
  ['/voice/regions', ['bot'], REGIONS],
  ['/sticker-packs', [], { sticker_packs: [] }],
  ['/soundboard-default-sounds', ['bot'], []],
  ['/applications/detectable', [], []],
];

const bucketName = (path: string) => path.replace(/^\//, '').replaceAll('/', '-');
const inGuild = ids('guildId');
const elsewhereNotFound = { by: 'guildId', selfHosted: 'notFound' } as const;

/** Features that libraries request but the service does not have. The routes behave as if there were none of each. */
export const absentRoutes: readonly Route[] = [
  ...OF_GUILD.map(([path, operation, answer]) =>
    route({
      method: 'GET',
      path: `/guilds/:guildId/${path}`,
      callers: ['bot'],
      bucket: reads(bucketName(path), 'guildId'),
      where: elsewhereNotFound,
      params: inGuild,
      run: (call, { params }) => accessGuild(call, params.guildId, operation),
      render: () => answer,
    }),
  ),
  ...OF_APPLICATION.map(([path, answer]) =>
    route({
      method: 'GET',
      path: `/applications/:applicationId/${path}`,
      callers: ['bot'],
      bucket: reads(bucketName(path), 'applicationId'),
      where: CLOUD,
      params: ids('applicationId'),
      run: async (call, { params }) => requireOwnBot(call, params.applicationId),
      render: () => answer,
    }),
  ),
  ...AT_LARGE.map(([path, callers, answer]) =>
    route({
      method: 'GET',
      path,
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
    callers: ['bot'],
    bucket: reads('integrations', 'guildId'),
    where: elsewhereNotFound,
    params: inGuild,
    run: (call, { params }) => listIntegrations(call, params.guildId),
    render: (integrations) => integrations.map(renderIntegration),
  }),
];
