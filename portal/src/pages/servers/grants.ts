import type { CommandPermissionInput, PermissionTarget } from '../../gql/types.js';
import { listOf, textOf } from './json.js';

/** What is said of somebody or something: null for nothing. */
export type Say = boolean | null;

/** Whether a role, a person or a channel may run a command. */
export interface Grant {
  type: PermissionTarget;
  id: string;
  allow: boolean;
}

const TARGETS: Record<number, PermissionTarget> = { 1: 'ROLE', 2: 'USER', 3: 'CHANNEL' };

/** The reference platform's list of permissions. */
export function grantsOf(value: unknown): Grant[] {
  return listOf(value).flatMap(({ id, type, permission }) => {
    const target = typeof type === 'number' ? TARGETS[type] : undefined;
    return target && textOf(id) ? [{ type: target, id: String(id), allow: permission === true }] : [];
  });
}

export const keyOf = ({ type, id }: Pick<Grant, 'type' | 'id'>) => `${type} ${id}`;

export function sayOf(grants: readonly Grant[], target: Pick<Grant, 'type' | 'id'>): Say {
  return grants.find((one) => keyOf(one) === keyOf(target))?.allow ?? null;
}

/** The list with something else said of one of them. */
export function withSaid(
  grants: readonly Grant[],
  { type, id }: Pick<Grant, 'type' | 'id'>,
  said: Say,
): CommandPermissionInput[] {
  const others = grants.filter((one) => keyOf(one) !== keyOf({ type, id }));
  return said === null ? others : [...others, { type, id, allow: said }];
}

/** What stands for all channels in such a list: one less than the server's id. */
export function allChannels(guildId: string): string {
  return String(BigInt(guildId) - 1n);
}
