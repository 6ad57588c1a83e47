import type { Member as MemberRow, Role as RoleRow } from '../../infra/database/index.js';
import type { GraphqlContext } from '../context.js';
import { readInPieces } from '../lists.js';
import { createLoader, type Loader } from '../loaders.js';

type MemberKey = Pick<MemberRow, 'guildId' | 'userId'>;

/** Reads each role once. */
export function memberRoles({ call, loaders, budget }: GraphqlContext): Loader<MemberKey, RoleRow[]> {
  return loaders.get('roles of members', () =>
    createLoader<MemberKey, RoleRow[]>(async (members) => {
      const guildIds = [...new Set(members.map(({ guildId }) => guildId))];
      const roleIds = new Map<string, bigint[]>();
      for (const guildId of guildIds) {
        const userIds = members.filter((member) => member.guildId === guildId).map(({ userId }) => userId);
        const where = { guildId, userId: { in: userIds } };
        for (const { userId, roleId } of await budget.read(Number.POSITIVE_INFINITY, (take) =>
          call.read.memberRole.findMany({ where, take }),
        )) {
          const key = `${guildId} ${userId}`;
          roleIds.set(key, [...(roleIds.get(key) ?? []), roleId]);
        }
      }
      const ids = [...new Set([...roleIds.values()].flat())];
      const rows = await readInPieces(budget, ids, (piece) =>
        call.read.role.findMany({ where: { id: { in: piece } } }),
      );
      const roles = new Map(rows.map((role) => [role.id, role]));
      // Skips a role that was deleted during the read.
      const rolesOf = ({ guildId, userId }: MemberKey) =>
        (roleIds.get(`${guildId} ${userId}`) ?? [])
          .flatMap((id) => roles.get(id) ?? [])
          .sort((a, b) => a.position - b.position);
      return new Map(members.map((member) => [member, rolesOf(member)]));
    }, []),
  );
}
