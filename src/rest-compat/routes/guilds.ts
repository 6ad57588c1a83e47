import { z } from 'zod';
import { GuildSettings, getGuild, updateGuild } from '../../domain/guilds/index.js';
import { fault, snowflake } from '../../domain/input.js';
import { renderCounts, renderGuild } from '../../wire/guilds.js';
import { reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES, imageData } from '../images.js';
import { onServerOf, route } from '../route.js';
import { ids, inWireNames, queryBoolean } from '../schemas.js';

/** A setting of a feature that no server has: refused, unless it states what is so (decisions 232). */
const ofNoServer = (isSo: (given: unknown) => boolean) =>
  z
    .unknown()
    .refine(
      (given) => given === undefined || given === null || isSo(given),
      fault('BASE_TYPE_INVALID', 'No server has this here.'),
    )
    .optional();

const never = ofNoServer(() => false);

const EditGuild = inWireNames(
  { ...GuildSettings.shape, icon: imageData.nullish(), ownerId: snowflake().nullish() },
  {
    splash: never,
    discovery_splash: never,
    banner: never,
    home_header: never,
    rules_channel_id: never,
    public_updates_channel_id: never,
    safety_alerts_channel_id: never,
    features: ofNoServer((features) => Array.isArray(features) && features.length === 0),
    premium_progress_bar_enabled: ofNoServer((isEnabled) => isEnabled === false),
  },
);

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
    run: (call, { params, body }) => updateGuild(call, { ...params, ...body }),
    render: renderGuild,
  }),
];
