import { z } from 'zod';
import { chunksOf } from '../../infra/concurrency/event-loop.js';
import type { ChannelOverwrite, Reader, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { permissionsInChannel, permissionsInGuild } from '../guilds/store.js';
import { snowflake } from '../input.js';
import { limits } from '../limits.js';
import { ALL_PERMISSIONS, allows, Permission, permissionBits } from '../permissions.js';
import type { GuildChannelAccess } from './access.js';
import type { ChannelRecord, GuildChannelRecord } from './record.js';

/** Discord's overwrite types. */
export const OverwriteTarget = { Role: 0, Member: 1 } as const;

/** Defaults: a role, with nothing allowed or denied. */
export const NewOverwrite = z.object({
  targetId: snowflake(),
  targetType: z
    .literal([OverwriteTarget.Role, OverwriteTarget.Member])
    .nullish()
    .transform((type) => type ?? OverwriteTarget.Role),
  allow: permissionBits(),
  deny: permissionBits(),
});

export const NewOverwrites = z.array(NewOverwrite).max(limits.overwritesPerList);

export type OverwriteFields = Pick<ChannelOverwrite, 'targetId' | 'targetType' | 'allow' | 'deny'>;

/** The last overwrite of a target wins. */
export function onePerTarget(overwrites: readonly OverwriteFields[]): OverwriteFields[] {
  return [...new Map(overwrites.map((overwrite) => [overwrite.targetId, overwrite])).values()];
}

export function sayTheSame(some: readonly OverwriteFields[], others: readonly OverwriteFields[]): boolean {
  const byTarget = new Map(others.map((overwrite) => [overwrite.targetId, overwrite]));
  return some.length === others.length && some.every((one) => isSame(one, byTarget.get(one.targetId)));
}

export function isSame(one: OverwriteFields, other: OverwriteFields | undefined): boolean {
  return (
    other !== undefined && one.targetType === other.targetType && one.allow === other.allow && one.deny === other.deny
  );
}

/** Permissions that `after` newly allows or denies. */
export function newlySaid(before: readonly OverwriteFields[], after: readonly OverwriteFields[]): bigint {
  const byTarget = new Map(before.map((overwrite) => [overwrite.targetId, overwrite]));
  return after.reduce((bits, { targetId, allow, deny }) => {
    const old = byTarget.get(targetId);
    return bits | (allow & ~(old?.allow ?? 0n)) | (deny & ~(old?.deny ?? 0n));
  }, 0n);
}

/**
 * Permissions that overwrites of a new channel may contain: the caller's, but ManageRoles only for administrators
 * (Discord's documentation, Create Guild Channel).
 */
export function sayableInNew(permissions: bigint): bigint {
  return permissions === ALL_PERMISSIONS ? ALL_PERMISSIONS : permissions & ~Permission.ManageRoles;
}

/**
 * Permissions that the caller may newly allow or deny: their own in the guild or category. All of them if an overwrite
 * of this channel grants the caller ManageRoles (Discord's documentation, Edit Channel Permissions).
 */
export async function sayableIn(call: CallContext, place: GuildChannelAccess): Promise<bigint> {
  const { user } = requireUser(call);
  const { guildId, channelId } = place;
  const now = call.clock.now();
  const inGuild = (await permissionsInGuild(call.guilds, guildId, user.id, now)) ?? 0n;
  if (inGuild === ALL_PERMISSIONS || (await isLetManage(call, place))) return ALL_PERMISSIONS;
  const channel = await call.guilds.channel(guildId, channelId);
  const parentId = channel?.parentId ?? null;
  const inParent = parentId === null ? null : await permissionsInChannel(call.guilds, guildId, parentId, user.id, now);
  return sayableInNew(inGuild) | ((inParent ?? 0n) & ~Permission.ManageRoles);
}

async function isLetManage(call: CallContext, { guildId, channelId, member }: GuildChannelAccess): Promise<boolean> {
  const { user } = requireUser(call);
  const view = await call.guilds.view(guildId);
  const own = new Set([guildId, user.id, ...(member?.roleIds ?? [])]);
  const overwrites = view?.channels.get(channelId)?.overwrites ?? [];
  return overwrites.some(({ targetId, allow }) => own.has(targetId) && allows(allow, Permission.ManageRoles));
}

/** @throws UNKNOWN_OVERWRITE if a target is no role or member of the guild */
export async function requireTargets(
  db: Transaction,
  guildId: bigint,
  overwrites: readonly OverwriteFields[],
): Promise<void> {
  const idsOf = (type: number) =>
    overwrites.filter(({ targetType }) => targetType === type).map(({ targetId }) => targetId);
  const [roleIds, userIds] = [idsOf(OverwriteTarget.Role), idsOf(OverwriteTarget.Member)];
  const roles = roleIds.length === 0 ? 0 : await db.role.count({ where: { guildId, id: { in: roleIds } } });
  const members = userIds.length === 0 ? 0 : await db.member.count({ where: { guildId, userId: { in: userIds } } });
  if (roles + members !== overwrites.length) throw new DomainError('UNKNOWN_OVERWRITE');
}

export function addedTo(channel: ChannelRecord, overwrites: readonly OverwriteFields[]): OverwriteFields[] {
  const known = new Map(channel.overwrites.map(({ targetId, targetType }) => [targetId, targetType]));
  return overwrites.filter(({ targetId, targetType }) => known.get(targetId) !== targetType);
}

/** SQLite takes 999 parameters. */
const ROWS_PER_STATEMENT = 150;

/** @throws TOO_MANY_OVERWRITES */
export async function requireCapacityInGuild(
  db: Pick<Reader, 'channelOverwrite'>,
  guildId: bigint,
  added: number,
): Promise<void> {
  if (added === 0) return;
  const most = limits.overwritesPerGuild;
  if ((await db.channelOverwrite.count({ where: { channel: { guildId } } })) + added <= most) return;
  throw new DomainError('TOO_MANY_OVERWRITES', `Maximum number of server permission overwrites reached (${most})`);
}

/** Only for a channel without overwrites. @throws TOO_MANY_OVERWRITES */
export async function insertOverwrites(
  db: Transaction,
  { id: channelId, guildId }: Pick<GuildChannelRecord, 'id' | 'guildId'>,
  overwrites: readonly OverwriteFields[],
): Promise<ChannelOverwrite[]> {
  await requireCapacityInGuild(db, guildId, overwrites.length);
  return insertRows(db, channelId, overwrites);
}

async function insertRows(
  db: Transaction,
  channelId: bigint,
  overwrites: readonly OverwriteFields[],
): Promise<ChannelOverwrite[]> {
  const data = overwrites
    .map(({ targetId, targetType, allow, deny }) => ({ channelId, targetId, targetType, allow, deny }))
    .sort((a, b) => (a.targetId < b.targetId ? -1 : 1));
  for (const piece of chunksOf(data, ROWS_PER_STATEMENT)) await db.channelOverwrite.createMany({ data: piece });
  return data;
}

/** @throws TOO_MANY_OVERWRITES */
export async function replaceOverwrites(
  db: Transaction,
  channel: Pick<GuildChannelRecord, 'id' | 'guildId'>,
  overwrites: readonly OverwriteFields[],
): Promise<ChannelOverwrite[]> {
  const { count } = await db.channelOverwrite.deleteMany({ where: { channelId: channel.id } });
  // A guild above the limit may still remove overwrites.
  return overwrites.length > count ? insertOverwrites(db, channel, overwrites) : insertRows(db, channel.id, overwrites);
}

export function auditedOverwrites(overwrites: readonly OverwriteFields[]) {
  return overwrites.map(({ targetId, targetType, allow, deny }) => ({
    id: String(targetId),
    type: targetType,
    allow: String(allow),
    deny: String(deny),
  }));
}
