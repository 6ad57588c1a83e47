import type { z } from 'zod';
import type { Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuildChannel, requirePermissions } from '../guilds/access.js';
import { limits } from '../limits.js';
import { findGuildChannel } from './find.js';
import { withLastMessage } from './last-messages.js';
import {
  addedTo,
  isSame,
  type NewOverwrite,
  newlySaid,
  type OverwriteFields,
  OverwriteTarget,
  requireCapacityInGuild,
  requireTargets,
  sayableIn,
} from './overwrites.js';
import type { GuildChannelDetails, GuildChannelRecord } from './record.js';

/**
 * Needs ManageRoles in the channel, and every permission that the overwrite newly allows or denies.
 * @throws UNKNOWN_OVERWRITE, TOO_MANY_OVERWRITES, MISSING_PERMISSIONS and the errors of `accessGuildChannel`
 */
export async function setChannelOverwrite(
  call: CallContext,
  channelId: bigint,
  overwrite: z.output<typeof NewOverwrite>,
): Promise<GuildChannelDetails> {
  const place = await accessGuildChannel(call, channelId, 'setChannelOverwrite');
  const sayable = await sayableIn(call, place);
  return call.write(
    async (write) => {
      const before = await findGuildChannel(write.db, place);
      const old = overwriteFor(before, overwrite.targetId);
      if (isSame(overwrite, old)) return withLastMessage(write.db, before);
      requirePermissions(sayable, newlySaid(before.overwrites, [overwrite]));
      await requireTargets(write.db, before.guildId, addedTo(before, [overwrite]));
      if (!old) {
        requireCapacity(before);
        await requireCapacityInGuild(write.db, before.guildId, 1);
      }
      await putRow(write.db, channelId, overwrite);
      return publishChange(write, before, old, overwrite);
    },
    { streams: [topics.guild(place.guildId)] },
  );
}

/** Needs ManageRoles in the channel. @throws UNKNOWN_OVERWRITE and the errors of `accessGuildChannel` */
export async function deleteChannelOverwrite(
  call: CallContext,
  channelId: bigint,
  targetId: bigint,
): Promise<GuildChannelDetails> {
  const place = await accessGuildChannel(call, channelId, 'deleteChannelOverwrite');
  return call.write(
    async (write) => {
      const before = await findGuildChannel(write.db, place);
      const old = overwriteFor(before, targetId);
      if (!old) throw new DomainError('UNKNOWN_OVERWRITE');
      await write.db.channelOverwrite.deleteMany({ where: { channelId, targetId } });
      return publishChange(write, before, old, undefined);
    },
    { streams: [topics.guild(place.guildId)] },
  );
}

function overwriteFor({ overwrites }: GuildChannelRecord, targetId: bigint): OverwriteFields | undefined {
  return overwrites.find((overwrite) => overwrite.targetId === targetId);
}

function requireCapacity({ overwrites }: GuildChannelRecord): void {
  if (overwrites.length < limits.overwritesPerChannel) return;
  throw new DomainError(
    'TOO_MANY_OVERWRITES',
    `Maximum number of channel permission overwrites reached (${limits.overwritesPerChannel})`,
  );
}

async function putRow(db: Transaction, channelId: bigint, overwrite: OverwriteFields): Promise<void> {
  const { targetId, targetType, allow, deny } = overwrite;
  const said = { targetType, allow, deny };
  await db.channelOverwrite.upsert({
    where: { channelId_targetId: { channelId, targetId } },
    create: { channelId, targetId, ...said },
    update: said,
  });
}

/** At least one of `old` and `now` is set. */
async function publishChange(
  { db, record, audit }: Write,
  before: GuildChannelRecord,
  old: OverwriteFields | undefined,
  now: OverwriteFields | undefined,
): Promise<GuildChannelDetails> {
  const { id: channelId, guildId } = before;
  const changes = await auditedOverwrite(db, guildId, old, now);
  const action = !old ? 'CHANNEL_OVERWRITE_CREATE' : now ? 'CHANNEL_OVERWRITE_UPDATE' : 'CHANNEL_OVERWRITE_DELETE';
  await audit({ action, guildId, targetId: channelId, changes });
  const others = before.overwrites.filter(({ targetId }) => targetId !== (now ?? old)?.targetId);
  const overwrites = now ? [...others, { channelId, ...now }] : others;
  const details = await withLastMessage(db, { ...before, overwrites });
  record({ type: 'CHANNEL_UPDATE', ...details });
  return details;
}

async function auditedOverwrite(
  db: Transaction,
  guildId: bigint,
  old: OverwriteFields | undefined,
  now: OverwriteFields | undefined,
) {
  const { targetId: id = 0n, targetType: type = OverwriteTarget.Role } = now ?? old ?? {};
  const role = type === OverwriteTarget.Role ? await db.role.findFirst({ where: { id, guildId } }) : null;
  const bits = (overwrite: OverwriteFields | undefined, name: 'allow' | 'deny') =>
    overwrite ? String(overwrite[name]) : null;
  return {
    id: String(id),
    type,
    roleName: role?.name ?? null,
    allow: { old: bits(old, 'allow'), new: bits(now, 'allow') },
    deny: { old: bits(old, 'deny'), new: bits(now, 'deny') },
  };
}
