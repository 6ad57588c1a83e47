import type { Team } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson } from '../call.js';
import { dropIcon, type IconOwner, type IconSource, keepIcon } from '../icons.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import { requireCapacityForTeam } from '../owned.js';

export interface CreateTeamInput {
  /** As parsed by {@link TeamName}. */
  name: string;
  icon?: IconSource | null | undefined;
}

export const TeamName = nameText(limits.teamName.min, limits.teamName.max);

/** @throws UNAUTHENTICATED, LIMIT_EXCEEDED; INVALID_INPUT, RATE_LIMITED for icons */
export async function createTeam(call: CallContext, input: CreateTeamInput): Promise<Team> {
  const { user } = requirePerson(call);
  const { name } = input;
  const id = call.nextId();
  const iconOwner: IconOwner = { folder: 'team-icons', id };
  const iconHash = input.icon ? await keepIcon(call, iconOwner, input.icon) : null;
  const joinedAt = new Date(call.clock.now());
  const owner = { userId: user.id, role: 'ADMIN', joinedAt } as const;
  try {
    return await call.write(
      async ({ db, record, audit }) => {
        await requireCapacityForTeam(db, user.id);
        const data = { id, name, iconHash, ownerUserId: user.id, members: { create: owner } };
        const team = await db.team.create({ data });
        await audit({ action: 'TEAM_CREATE', teamId: id, targetId: id, changes: { name } });
        record({ type: 'TEAM_UPDATED', teamId: id });
        record({ type: 'PORTAL_HOME_UPDATED', userId: user.id });
        return team;
      },
      { streams: [topics.team(id), topics.user(user.id)] },
    );
  } catch (error) {
    if (iconHash) await dropIcon(call, iconOwner, iconHash);
    throw error;
  }
}
