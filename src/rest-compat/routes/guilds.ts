import { z } from 'zod';
import { GuildSettings, getGuild, updateGuild } from '../../domain/guilds/index.js';
import { renderCounts, renderGuild } from '../../wire/guilds.js';
import { reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES, imageData } from '../images.js';
import { onServerOf, route } from '../route.js';
import { ids, queryBoolean } from '../schemas.js';

const settings = GuildSettings.shape;

const EditGuild = z.object({
  name: settings.name,
  description: settings.description,
  icon: imageData.nullish(),
  afk_channel_id: settings.afkChannelId,
  afk_timeout: settings.afkTimeout,
  system_channel_id: settings.systemChannelId,
  system_channel_flags: settings.systemChannelFlags,
  verification_level: settings.verificationLevel,
  default_message_notifications: settings.defaultMessageNotifications,
  explicit_content_filter: settings.explicitContentFilter,
  preferred_locale: settings.preferredLocale,
});

export const guildRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId',
    callers: ['bot'],
    bucket: reads('guild', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    query: z.object({ with_counts: queryBoolean }),
    run: (call, { params, query }) => getGuild(call, { guildId: params.guildId, withCounts: query.with_counts }),
    render: ({ guild, ...counts }) => ({ ...renderGuild(guild), ...renderCounts(counts) }),
  }),
  route({
    method: 'PATCH',
    path: '/guilds/:guildId',
    callers: ['bot'],
    bucket: writes('edit-guild', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    body: EditGuild,
    faultNames: { afkChannelId: 'afk_channel_id', systemChannelId: 'system_channel_id' },
    maxJsonBytes: ICON_BODY_BYTES,
    run: (call, { params, body }) =>
      updateGuild(call, {
        ...params,
        name: body.name,
        description: body.description,
        icon: body.icon,
        afkChannelId: body.afk_channel_id,
        afkTimeout: body.afk_timeout,
        systemChannelId: body.system_channel_id,
        systemChannelFlags: body.system_channel_flags,
        verificationLevel: body.verification_level,
        defaultMessageNotifications: body.default_message_notifications,
        explicitContentFilter: body.explicit_content_filter,
        preferredLocale: body.preferred_locale,
      }),
    render: renderGuild,
  }),
];
