import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Guild } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { nameText, trimmedText } from '../input.js';
import { limits } from '../limits.js';
import { insertMember } from '../members/rows.js';
import { requireCapacityForGuild } from '../owned.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../permissions.js';

export const NewGuild = z.object({
  name: nameText(limits.guildName.min, limits.guildName.max),
  description: trimmedText(0, limits.guildDescription).nullish(),
});

const FIRST_TEXT_CHANNEL = { name: 'general', type: ChannelType.GuildText, position: 0 };
const FIRST_VOICE_CHANNEL = { name: 'General', type: ChannelType.GuildVoice, position: 1 };

/** @throws UNAUTHENTICATED, LIMIT_EXCEEDED */
export async function createGuild(call: CallContext, { name, description }: z.output<typeof NewGuild>): Promise<Guild> {
  const owner = requirePerson(call);
  const [id, systemChannelId] = [call.nextId(), call.nextId()];
  const guild = { id, name, description: description ?? null, ownerId: owner.user.id, systemChannelId };
  return call.write(
    async (write) => {
      await requireCapacityForGuild(call, write.db, guild.ownerId);
      const created = await write.db.guild.create({ data: guild });
      await insertFirstRows(call, write, guild);
      write.record({ type: 'GUILD_CREATED', guildId: guild.id });
      write.record({ type: 'PORTAL_HOME_UPDATED', userId: guild.ownerId });
      await write.audit({ action: 'GUILD_CREATE', guildId: guild.id, targetId: guild.id, changes: { name } });
      return created;
    },
    { streams: [topics.guild(id), topics.user(owner.user.id)] },
  );
}

interface FirstGuild {
  id: bigint;
  ownerId: bigint;
  systemChannelId: bigint;
}

async function insertFirstRows(
  call: CallContext,
  { db }: Write,
  { id, ownerId, systemChannelId }: FirstGuild,
): Promise<void> {
  await db.role.create({
    data: { id, guildId: id, name: '@everyone', permissions: DEFAULT_EVERYONE_PERMISSIONS },
  });
  await db.channel.createMany({
    data: [
      { id: systemChannelId, guildId: id, ...FIRST_TEXT_CHANNEL },
      { id: call.nextId(), guildId: id, ...FIRST_VOICE_CHANNEL },
    ],
  });
  await insertMember(db, { guildId: id, userId: ownerId, joinedAt: new Date(call.clock.now()) });
}
