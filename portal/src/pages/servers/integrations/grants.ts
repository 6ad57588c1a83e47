import type { PermissionTarget } from '../../../gql/types.js';
import { listOf, textOf } from '../json.js';
import type { Say } from '../say.js';

export interface Grant {
  type: PermissionTarget;
  id: string;
  allow: boolean;
}

const TARGETS: Record<number, PermissionTarget> = { 1: 'ROLE', 2: 'USER', 3: 'CHANNEL' };

/** Reads the wire format. */
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

/** The wire format's id for all channels. */
export function allChannels(guildId: string): string {
  return String(BigInt(guildId) - 1n);
}

interface Named {
  id: string;
  roles: readonly { id: string; name: string }[];
  channels: readonly { id: string; name: string }[];
}

/** Summarizes who may run the command, who may not, and where. */
export function effectText(grants: readonly Grant[], server: Named): string {
  const naming = (type: PermissionTarget, allow: boolean) =>
    grants.filter((one) => one.type === type && one.allow === allow).map(({ id }) => id);
  const people = (allow: boolean) => peopleText(naming('ROLE', allow), naming('USER', allow), server);
  const [allowed, denied] = [people(true), people(false)];
  if (allowed === '') return "Only the server's owner and administrators can run this.";
  const where = placesText(naming('CHANNEL', true), naming('CHANNEL', false), server);
  return [allowed, denied && `except ${denied}`, where].filter(Boolean).join('; ');
}

function peopleText(roleIds: readonly string[], userIds: readonly string[], { id: guildId, roles }: Named): string {
  const names = roles
    .filter(({ id }) => roleIds.includes(id))
    .map(({ id, name }) => (id === guildId ? '@everyone' : name));
  const members = userIds.length === 1 ? '1 member' : `${userIds.length} members`;
  return [...names, ...(userIds.length > 0 ? [members] : [])].join(', ');
}

function placesText(allowed: readonly string[], denied: readonly string[], { id, channels }: Named): string {
  const names = (ids: readonly string[]) =>
    channels.filter((one) => ids.includes(one.id)).map(({ name }) => `#${name}`);
  if (denied.includes(allChannels(id))) return `allowed channels: ${names(allowed).join(', ') || 'none'}`;
  const not = names(denied);
  return not.length > 0 ? `not in ${not.join(', ')}` : '';
}
