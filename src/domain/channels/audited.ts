import type { AuditChanges } from '../audit-log/actions.js';
import { auditedOverwrites } from './overwrites.js';
import type { ChannelRecord } from './record.js';
import { settingsOf } from './settings.js';

export function auditedChannel(channel: ChannelRecord): AuditChanges['CHANNEL_CREATE'] {
  const { name, type, overwrites } = channel;
  return { name, type, ...settingsOf(channel), overwrites: auditedOverwrites(overwrites) };
}

export function auditedChanges(before: ChannelRecord, after: ChannelRecord): AuditChanges['CHANNEL_UPDATE'] {
  const facts = [comparable(before), comparable(after)] as const;
  const names = Object.keys(facts[0]) as (keyof ReturnType<typeof comparable>)[];
  const differing = names.filter((name) => JSON.stringify(facts[0][name]) !== JSON.stringify(facts[1][name]));
  return Object.fromEntries(differing.map((name) => [name, { old: facts[0][name], new: facts[1][name] }]));
}

function comparable(channel: ChannelRecord) {
  const { name, type, position, topic, nsfw, rateLimitPerUser, bitrate, userLimit } = channel;
  return {
    name,
    type,
    position,
    parentId: channel.parentId === null ? null : String(channel.parentId),
    topic,
    nsfw,
    rateLimitPerUser,
    bitrate,
    userLimit,
    overwrites: auditedOverwrites(channel.overwrites),
  };
}
