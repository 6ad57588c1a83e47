import type { OperatorRole } from '../../gql/types.js';

export const OPERATOR_WORDS: Record<OperatorRole, string> = { OPERATOR: 'operator', MODERATOR: 'moderator' };

/** For example “10 in 5 seconds”. */
export function limitValue({ unit }: { unit: string }, value: number): string {
  return `${value.toLocaleString('en')} ${unit}`;
}

/** For example “1,204 messages”. */
export function figure(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}
