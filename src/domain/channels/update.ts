import type { z } from 'zod';
import type { Channel, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { invalidInput } from '../errors.js';
import type { ChannelOperations } from '../guild-operations.js';
import { accessGuildChannel, requirePermissions } from '../guilds/access.js';
import { CHANNEL_ACCESS_COLUMNS } from '../guilds/views.js';
import { auditedChanges } from './audited.js';
import { findGuildChannel } from './find.js';
import { withLastMessage } from './last-messages.js';
import {
  addedTo,
  newlySaid,
  type OverwriteFields,
  onePerTarget,
  replaceOverwrites,
  requireTargets,
  sayableIn,
  sayTheSame,
} from './overwrites.js';
import { findParent } from './parents.js';
import type { GuildChannelDetails, GuildChannelRecord } from './record.js';
import { type ChannelEdit, CONVERTIBLE, givenSettings, isConvertible, settingsLost } from './settings.js';

type Input = z.output<typeof ChannelEdit>;

/**
 * Given overwrites replace all others. Needs ManageChannels in the channel; for overwrites also ManageRoles and every
 * permission that they newly allow or deny.
 * @throws UNKNOWN_OVERWRITE, MISSING_PERMISSIONS, INVALID_INPUT at `type` or `parentId` and the errors of
 * `accessGuildChannel`
 */
export async function updateChannel(call: CallContext, channelId: bigint, input: Input): Promise<GuildChannelDetails> {
  const place = await accessGuildChannel(call, channelId, ...operationsOf(input));
  const sayable = input.overwrites ? await sayableIn(call, place) : 0n;
  return call.write(
    async (write) => {
      const before = await findGuildChannel(write.db, place);
      const columns = await changedColumns(write.db, before, input);
      const overwrites = await changedOverwrites(write.db, before, input, sayable);
      if (Object.keys(columns).length === 0 && !overwrites) return withLastMessage(write.db, before);
      return change(write, before, columns, overwrites);
    },
    { streams: [topics.guild(place.guildId)] },
  );
}

function operationsOf({ overwrites }: Input): ChannelOperations {
  return overwrites ? ['updateChannel', 'updateChannelOverwrites'] : ['updateChannel'];
}

type Columns = Partial<Omit<Channel, 'id' | 'guildId'>>;

async function changedColumns(db: Transaction, before: GuildChannelRecord, input: Input): Promise<Columns> {
  const type = input.type ?? before.type;
  if (!isConvertible(before.type, type)) {
    throw invalidInput({
      path: 'type',
      code: 'BASE_TYPE_CHOICES',
      message: `Value must be one of {${CONVERTIBLE}}.`,
    });
  }
  const wanted: Columns = {
    type,
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.position == null ? {} : { position: input.position }),
    ...(input.parentId === undefined ? {} : { parentId: input.parentId }),
    ...settingsLost(before.type, type),
    ...givenSettings(type, input),
  };
  const changed = Object.entries(wanted).filter(([name, value]) => before[name as keyof Columns] !== value);
  const columns: Columns = Object.fromEntries(changed);
  if (columns.parentId != null) await findParent(db, before, columns.parentId);
  return columns;
}

/** Null if unchanged. */
async function changedOverwrites(
  db: Transaction,
  before: GuildChannelRecord,
  input: Input,
  sayable: bigint,
): Promise<OverwriteFields[] | null> {
  if (!input.overwrites) return null;
  const overwrites = onePerTarget(input.overwrites);
  if (sayTheSame(overwrites, before.overwrites)) return null;
  requirePermissions(sayable, newlySaid(before.overwrites, overwrites));
  await requireTargets(db, before.guildId, addedTo(before, overwrites));
  return overwrites;
}

async function change(
  { db, record, audit }: Write,
  before: GuildChannelRecord,
  columns: Columns,
  given: OverwriteFields[] | null,
): Promise<GuildChannelDetails> {
  const { id, guildId } = before;
  const row = Object.keys(columns).length === 0 ? before : await db.channel.update({ where: { id }, data: columns });
  const overwrites = given ? await replaceOverwrites(db, before, given) : before.overwrites;
  const details = await withLastMessage(db, { ...row, guildId, overwrites });
  const changes = auditedChanges(before, details.channel);
  await audit({ action: 'CHANNEL_UPDATE', guildId, targetId: id, changes });
  const keepsAccess = !given && !Object.keys(columns).some((name) => name in CHANNEL_ACCESS_COLUMNS);
  record({ type: 'CHANNEL_UPDATE', ...details, keepsAccess });
  return details;
}
