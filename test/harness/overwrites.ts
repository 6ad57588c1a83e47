import { topics } from '../../src/infra/bus.js';
import type { TestServer } from './server.js';

/**
 * Denies something in a channel to everybody but who has it otherwise. No public operation writes overwrites yet, so the row
 * is put there, and the guild is told as that operation would.
 */
export async function denyInChannel(
  { app }: TestServer,
  guild: { id: string },
  channelId: string,
  deny: bigint,
): Promise<void> {
  const key = { channelId: BigInt(channelId), targetId: BigInt(guild.id) };
  await app.db.writer.channelOverwrite.upsert({
    where: { channelId_targetId: key },
    create: { ...key, targetType: 0, deny },
    update: { deny },
  });
  app.bus.publish(topics.guild(guild.id), { type: 'CHANNEL_UPDATE', guildId: guild.id, channelId, data: '{}' });
}
