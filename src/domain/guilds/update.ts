import { ChannelType } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, type FieldFault, invalidInput, missingPermissions } from '../errors.js';
import { changeWithIcon, type IconSource } from '../icons.js';
import { accessGuild } from './access.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';
import type { GuildSettings } from './settings.js';

/** Omitted fields stay unchanged; a null icon is removed. */
export interface UpdateGuildInput extends Partial<GuildSettings> {
  guildId: bigint;
  icon?: IconSource | null | undefined;
  /** Must be the current owner: ownership cannot be transferred. */
  ownerId?: bigint | null | undefined;
}

/**
 * Applies all changes or none. Needs ManageGuild.
 * @throws MISSING_PERMISSIONS for another owner, INVALID_INPUT for a channel of another guild or of the wrong type, and
 * the errors of `accessGuild` and `changeWithIcon`
 */
export async function updateGuild(
  call: CallContext,
  { guildId, icon, ownerId, ...settings }: UpdateGuildInput,
): Promise<GuildRecord> {
  const { view } = await accessGuild(call, guildId, 'updateGuild');
  if (ownerId != null && ownerId !== view.ownerId) throw missingPermissions(STAYS_ITS_OWNERS);
  const change = (iconHash: string | null | undefined) =>
    call.write((write) => changeColumns(write, guildId, { ...settings, iconHash }), {
      streams: [topics.guild(guildId)],
    });
  const folder = { folder: 'guild-icons', id: guildId } as const;
  return changeWithIcon(call, folder, icon, change, ({ iconHash }) => iconHash);
}

const STAYS_ITS_OWNERS = 'Server ownership cannot be transferred.';

type Columns = Partial<GuildSettings> & { iconHash?: string | null | undefined };

async function changeColumns(
  { db, record, audit }: Write,
  guildId: bigint,
  columns: Columns,
): Promise<{ before: GuildRecord; after: GuildRecord }> {
  const before = await db.guild.findUnique({ where: { id: guildId }, include: WITH_ROLES_AND_EMOJIS });
  if (!before) throw new DomainError('UNKNOWN_GUILD');
  const changes = changesOf(before, columns);
  if (Object.keys(changes).length === 0) return { before, after: before };
  await checkChannels(db, guildId, columns);
  const row = await db.guild.update({ where: { id: guildId }, data: columns });
  const after = { ...before, ...row };
  await audit({ action: 'GUILD_UPDATE', guildId, targetId: guildId, changes });
  record({ type: 'GUILD_UPDATE', guild: after, keepsAccess: true });
  return { before, after };
}

function changesOf(before: GuildRecord, columns: Columns): AuditChanges['GUILD_UPDATE'] {
  const changes: AuditChanges['GUILD_UPDATE'] = {};
  for (const [column, value] of Object.entries(columns)) {
    const old = before[column as keyof Columns];
    if (value !== undefined && value !== old) changes[column] = { old: asStored(old), new: asStored(value) };
  }
  return changes;
}

const asStored = (value: string | number | bigint | null) => (typeof value === 'bigint' ? String(value) : value);

const CHANNEL_TYPES = {
  afkChannelId: [ChannelType.GuildVoice],
  systemChannelId: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
} as const satisfies Partial<Record<keyof Columns, readonly ChannelType[]>>;

/** @throws INVALID_INPUT for a channel of another guild or of the wrong type */
async function checkChannels(db: Transaction, guildId: bigint, columns: Columns): Promise<void> {
  const ids = [columns.afkChannelId, columns.systemChannelId].filter((id) => typeof id === 'bigint');
  if (ids.length === 0) return;
  const channels = await db.channel.findMany({ where: { id: { in: ids }, guildId }, select: { id: true, type: true } });
  const typeOf = new Map(channels.map(({ id, type }) => [id, type]));
  const faults: FieldFault[] = [];
  for (const [path, types] of Object.entries(CHANNEL_TYPES)) {
    const id = columns[path as keyof typeof CHANNEL_TYPES];
    if (typeof id !== 'bigint') continue;
    const isFit = (types as readonly (number | undefined)[]).includes(typeOf.get(id));
    if (!isFit)
      faults.push({ path, code: 'CHANNEL_INVALID', message: `Channel ${id} cannot be used for this setting.` });
  }
  if (faults.length > 0) throw invalidInput(...faults);
}
