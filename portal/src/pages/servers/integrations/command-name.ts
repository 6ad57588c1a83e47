import type { GrantedCommandFragment } from '../../../gql/types.js';

export function nameOf({ name, type }: Pick<GrantedCommandFragment, 'name' | 'type'>): string {
  return type === 'CHAT_INPUT' ? `/${name}` : `${name} (menu)`;
}
