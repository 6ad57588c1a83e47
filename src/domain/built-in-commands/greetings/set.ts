import type { Greeting, GreetingKind } from '../../../infra/database/index.js';
import { topics } from '../../../infra/streams/topics.js';
import type { CallContext, Write } from '../../call.js';
import { requireText } from '../../channels/access.js';
import { DomainError } from '../../errors.js';
import { accessGuild, accessGuildChannel } from '../../guilds/access.js';

/**
 * Needs ManageGuild, and SendMessages in the channel. The message may contain `{user}` and `{server}`.
 * @throws UNKNOWN_CHANNEL, WRONG_CHANNEL_TYPE, MISSING_PERMISSIONS, and the errors of `accessGuild`
 */
export async function setGreeting(call: CallContext, { guildId, kind, ...greeting }: Greeting): Promise<void> {
  await accessGuild(call, guildId, 'setGreeting');
  const place = await accessGuildChannel(call, greeting.channelId, 'sendMessage');
  if (place.guildId !== guildId) throw new DomainError('UNKNOWN_CHANNEL');
  requireText(place);
  const set = async ({ db, audit }: Write) => {
    const where = { guildId_kind: { guildId, kind } };
    await db.greeting.upsert({ where, create: { guildId, kind, ...greeting }, update: greeting });
    const changes = { kind, channelId: String(greeting.channelId), message: greeting.message };
    await audit({ action: 'GREETING_UPDATE', guildId, targetId: greeting.channelId, changes });
  };
  await call.write(set, { streams: [topics.guild(guildId)] });
}

/** Needs ManageGuild. @throws the errors of `accessGuild` */
export async function removeGreeting(call: CallContext, guildId: bigint, kind: GreetingKind): Promise<void> {
  await accessGuild(call, guildId, 'setGreeting');
  const remove = async ({ db, audit }: Write) => {
    const where = { guildId_kind: { guildId, kind } };
    const greeting = await db.greeting.findUnique({ where });
    if (!greeting) return;
    await db.greeting.delete({ where });
    const changes = { kind, channelId: null, message: null };
    await audit({ action: 'GREETING_UPDATE', guildId, targetId: greeting.channelId, changes });
  };
  await call.write(remove, { streams: [topics.guild(guildId)] });
}
