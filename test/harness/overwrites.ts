import type { TestServer } from './server.js';

/**
 * Denies something in a channel to everybody but who has it otherwise. No public operation writes overwrites yet, so the row
 * is put there, and the guild is told that it changed.
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
  const row = await app.db.reader.guild.findUniqueOrThrow({
    where: { id: BigInt(guild.id) },
    include: { roles: true },
  });
  app.publish({ type: 'GUILD_UPDATE', guild: row });
}
