import type { Team } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import { changeWithIcon, type IconSource } from '../icons.js';
import { recordForInvited } from '../invited.js';
import { accessTeam } from './access.js';
import { handOver } from './members.js';

/** Undefined keeps a value. Null removes the icon, but keeps the others. */
export interface UpdateTeamInput {
  teamId: bigint;
  /** As parsed by `TeamName`. */
  name?: string | null | undefined;
  icon?: IconSource | null | undefined;
  /** The new owner: a member, or the current owner. */
  ownerUserId?: bigint | null | undefined;
}

interface Columns {
  name: string | undefined;
  iconHash: string | null | undefined;
}

/**
 * Applies all changes or none.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS, INVALID_INPUT and RATE_LIMITED for icons,
 * UNKNOWN_TEAM_MEMBER if the new owner is not a member
 */
export async function updateTeam(call: CallContext, input: UpdateTeamInput): Promise<Team> {
  const { id } = await accessTeam(call, input.teamId, 'update');
  const name = input.name ?? undefined;
  const newOwner = input.ownerUserId == null ? [] : [topics.user(input.ownerUserId)];
  const change = async (write: Write, iconHash: string | null | undefined) => {
    const before = await accessTeam(call, id, 'update', write.db);
    const after = await changeColumns(write, before, { name, iconHash });
    const { ownerUserId: userId = null } = input;
    if (userId === null || userId === before.ownerUserId) return { before, after };
    return { before, after: await handOver(call, write, { teamId: id, userId }) };
  };
  return changeWithIcon<Team>(
    call,
    { folder: 'team-icons', id },
    input.icon,
    (iconHash) => call.write((write) => change(write, iconHash), { streams: [topics.team(id), ...newOwner] }),
    ({ iconHash }) => iconHash,
  );
}

async function changeColumns(write: Write, before: Team, columns: Columns): Promise<Team> {
  const { db, record, audit } = write;
  const { id } = before;
  const changes = changesOf(before, columns);
  if (Object.keys(changes).length === 0) return before;
  const after = await db.team.update({ where: { id }, data: columns });
  await audit({ action: 'TEAM_UPDATE', teamId: id, targetId: id, changes });
  record({ type: 'TEAM_UPDATED', teamId: id });
  await recordForInvited(write, { teamId: id });
  return after;
}

function changesOf(before: Team, { name, iconHash }: Columns): AuditChanges['TEAM_UPDATE'] {
  return {
    ...(name !== undefined && name !== before.name && { name: { old: before.name, new: name } }),
    ...(iconHash !== undefined &&
      iconHash !== before.iconHash && { iconHash: { old: before.iconHash, new: iconHash } }),
  };
}
