import type { GrantedCommandFragment } from '../../gql/types.js';

/** A command as people know it. */
export function nameOf({ name, type }: Pick<GrantedCommandFragment, 'name' | 'type'>): string {
  return type === 'CHAT_INPUT' ? `/${name}` : `${name} (menu)`;
}
