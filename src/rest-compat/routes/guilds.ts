import { z } from 'zod';
import { GuildSettings, getGuild, updateGuild } from '../../domain/guilds/index.js';
import { snowflake } from '../../domain/input.js';
import { renderCounts, renderGuild } from '../../wire/guilds.js';
import { reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES, imageChange } from '../images.js';
import { onServerOf, route, type SelfHosted } from '../route.js';
import { absent, ids, inWireNames, isEmptyList, queryBoolean } from '../schemas.js';

/** Rejected, because a caller that got 200 would expect a change. */
const ofNoServer = (isSo?: (given: unknown) => boolean) => absent('No server has this here.', isSo);

const EditGuild = inWireNames(
  { ...GuildSettings.shape, icon: imageChange, ownerId: snowflake().nullish() },
  {
    splash: ofNoServer(),
    discovery_splash: ofNoServer(),
    banner: ofNoServer(),
    home_header: ofNoServer(),
    rules_channel_id: ofNoServer(),
    public_updates_channel_id: ofNoServer(),
    safety_alerts_channel_id: ofNoServer(),
    features: ofNoServer(isEmptyList),
    premium_progress_bar_enabled: ofNoServer((isEnabled) => isEnabled === false),
  },
);

/** On self-hosted servers, bots can change only name and description (service description, section 4). */
function selfHosted(change: z.output<typeof EditGuild>): SelfHosted {
  const { name: _name, description: _description, ...others } = change;
  return Object.values(others).every((value) => value === undefined) ? 'forward' : 'notImplemented';
}

export const guildRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId',
    summary: 'Get a server',
    description: 'With `with_counts=true`, includes approximate member and presence counts.',
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
    summary: 'Edit a server',
    callers: ['bot'],
    bucket: writes('edit-guild', 'guildId'),
    where: { by: 'guildId', selfHosted, note: '501 if the request has other fields than `name` and `description`.' },
    params: ids('guildId'),
    body: EditGuild,
    faultNames: { afkChannelId: 'afk_channel_id', systemChannelId: 'system_channel_id' },
    maxJsonBytes: ICON_BODY_BYTES,
    run: (call, { params, body }) => updateGuild(call, { ...params, ...body }),
    render: renderGuild,
  }),
];
