import { chunksOf } from '../../infra/concurrency/event-loop.js';
import type { BoxGuild, Transaction } from '../../infra/database/index.js';
import { idSpaceOf } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';
import { publishUnusable } from '../webhooks/write.js';

/** docs/relay.md, R-32. */
export interface AnnouncedGuild {
  id: bigint;
  name: string;
  iconHash: string | null;
  ownerId: bigint;
  channelIds: readonly bigint[];
}

/**
 * Replaces the previous announcement.
 * @throws UNKNOWN_BOX; CONFLICT for an id outside the box's id space or in use; LIMIT_EXCEEDED
 */
export async function announceGuild(call: CallContext, boxId: bigint, guild: AnnouncedGuild): Promise<void> {
  const channelIds = [...new Set(guild.channelIds)];
  if (channelIds.length > limits.channelsPerGuild) throw tooManyChannels();
  await call.write(
    async (write) => {
      await requireOwnIds(write.db, boxId, [guild.id, guild.ownerId, ...channelIds]);
      const isNew = await putGuild(write, boxId, guild);
      const isRerouted = await putChannels(write, boxId, guild.id, channelIds);
      if (isNew || isRerouted) write.record({ type: 'BOX_ROUTES_UPDATED' });
    },
    { streams: [topics.box(boxId)] },
  );
}

/** @returns whether the guild is new */
async function putGuild({ db, record }: Write, boxId: bigint, guild: AnnouncedGuild): Promise<boolean> {
  const { id, ownerId } = guild;
  const before = await db.boxGuild.findUnique({ where: { id } });
  if (before && before.boxId !== boxId) throw notOwnId(id);
  const facts = { ...shownFieldsOf(guild), ownerId };
  if (before && isSame(before, facts)) return false;
  if (before) await db.boxGuild.update({ where: { id }, data: facts });
  else {
    if ((await db.guild.count({ where: { id } })) > 0) throw notOwnId(id);
    if ((await db.boxGuild.count({ where: { boxId } })) >= limits.guildsPerBox) {
      throw new DomainError('LIMIT_EXCEEDED', `A box can have at most ${limits.guildsPerBox} servers.`);
    }
    await db.boxGuild.create({ data: { id, boxId, ...facts } });
  }
  record({ type: 'BOX_UPDATED', boxId });
  return !before;
}

/** @returns whether the channels changed */
async function putChannels(write: Write, boxId: bigint, guildId: bigint, ids: bigint[]): Promise<boolean> {
  const { db, record } = write;
  const before = await db.boxChannel.findMany({ where: { guildId }, select: { id: true } });
  const had = new Set(before.map(({ id }) => id));
  const has = new Set(ids);
  const added = ids.filter((id) => !had.has(id));
  const gone = [...had].filter((id) => !has.has(id));
  if (added.length === 0 && gone.length === 0) return false;
  await removeChannels(write, gone);
  await addChannels(db, guildId, added);
  record({ type: 'BOX_UPDATED', boxId });
  return true;
}

/** SQLite takes 999 parameters. */
const IDS_PER_STATEMENT = 400;

async function addChannels(db: Transaction, guildId: bigint, ids: bigint[]): Promise<void> {
  for (const piece of chunksOf(ids, IDS_PER_STATEMENT)) {
    const where = { id: { in: piece } };
    const taken = (await db.boxChannel.findFirst({ where })) ?? (await db.channel.findFirst({ where }));
    if (taken) throw notOwnId(taken.id);
    await db.boxChannel.createMany({ data: piece.map((id) => ({ id, guildId })) });
  }
}

async function removeChannels(write: Write, ids: bigint[]): Promise<void> {
  for (const piece of chunksOf(ids, IDS_PER_STATEMENT)) {
    await write.db.boxChannel.deleteMany({ where: { id: { in: piece } } });
    await publishUnusable(write, { channelId: { in: piece } });
  }
}

/** Updates the guild from a dispatch. Ignores guilds that the box does not have. */
export async function noteGuild(
  call: CallContext,
  boxId: bigint,
  guild: { id: bigint; name: string; iconHash: string | null },
): Promise<void> {
  const { id } = guild;
  const facts = shownFieldsOf(guild);
  const change = async ({ db, record }: Write) => {
    const before = await db.boxGuild.findFirst({ where: { id, boxId } });
    if (!before || isSame(before, facts)) return;
    await db.boxGuild.update({ where: { id }, data: facts });
    record({ type: 'BOX_UPDATED', boxId });
  };
  await call.write(change, { streams: [topics.box(boxId)] });
}

export interface BoxChannelKey {
  guildId: bigint;
  channelId: bigint;
}

/** @throws UNKNOWN_BOX, UNKNOWN_GUILD, CONFLICT, LIMIT_EXCEEDED */
export async function noteChannel(call: CallContext, boxId: bigint, key: BoxChannelKey): Promise<void> {
  const { guildId, channelId } = key;
  await call.write(
    async ({ db, record }) => {
      await requireOwnIds(db, boxId, [channelId]);
      if (!(await db.boxGuild.findFirst({ where: { id: guildId, boxId } }))) throw new DomainError('UNKNOWN_GUILD');
      const known = await db.boxChannel.findUnique({ where: { id: channelId } });
      if (known?.guildId === guildId) return;
      if ((await db.boxChannel.count({ where: { guildId } })) >= limits.channelsPerGuild) throw tooManyChannels();
      await addChannels(db, guildId, [channelId]);
      record({ type: 'BOX_ROUTES_UPDATED' });
      record({ type: 'BOX_UPDATED', boxId });
    },
    { streams: [topics.box(boxId)] },
  );
}

export async function forgetChannel(call: CallContext, boxId: bigint, key: BoxChannelKey): Promise<void> {
  const { guildId, channelId } = key;
  const remove = async (write: Write) => {
    const known = await write.db.boxChannel.findFirst({ where: { id: channelId, guildId, guild: { boxId } } });
    if (!known) return;
    await removeChannels(write, [channelId]);
    write.record({ type: 'BOX_ROUTES_UPDATED' });
    write.record({ type: 'BOX_UPDATED', boxId });
  };
  await call.write(remove, { streams: [topics.box(boxId)] });
}

async function requireOwnIds(db: Transaction, boxId: bigint, ids: readonly bigint[]): Promise<void> {
  const box = await db.box.findUnique({ where: { id: boxId }, select: { idSpace: true } });
  if (!box) throw new DomainError('UNKNOWN_BOX');
  const other = ids.find((id) => idSpaceOf(id) !== box.idSpace);
  if (other !== undefined) throw notOwnId(other);
}

type ShownFields = Pick<BoxGuild, 'name' | 'iconHash'>;

function shownFieldsOf({ name, iconHash }: ShownFields): ShownFields {
  return { name: keepable(name), iconHash: iconHash === null ? null : keepable(iconHash) };
}

const keepable = (text: string) => text.replaceAll('\u0000', '').toWellFormed();

function isSame(before: BoxGuild, facts: Partial<BoxGuild>): boolean {
  return Object.entries({ ...before, ...facts }).every(([key, value]) => Reflect.get(before, key) === value);
}

function notOwnId(id: bigint): DomainError {
  return new DomainError('CONFLICT', `The ID ${id} does not belong to this box.`);
}

function tooManyChannels(): DomainError {
  return new DomainError('LIMIT_EXCEEDED', `A server can have at most ${limits.channelsPerGuild} channels.`);
}
