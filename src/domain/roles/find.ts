import type { Reader, Role, Transaction } from '../../infra/database/index.js';
import { DomainError } from '../errors.js';

/** @throws UNKNOWN_ROLE */
export async function findRole(db: Reader | Transaction, guildId: bigint, roleId: bigint): Promise<Role> {
  const role = await db.role.findFirst({ where: { id: roleId, guildId } });
  if (!role) throw new DomainError('UNKNOWN_ROLE');
  return role;
}
