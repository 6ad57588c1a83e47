import type { RESERVED_NAMES } from '../commands/reserved-names.js';
import type { BuiltInCommand, NameIn } from './command.js';
import { FUN } from './fun.js';
import { INFO } from './info.js';
import { MEMBERS } from './members.js';
import { MODERATION } from './moderation.js';

/** Service description, section 2. */
const SERVED: Record<NameIn<Exclude<keyof typeof RESERVED_NAMES, 'client'>>, BuiltInCommand> = {
  ...MODERATION,
  ...FUN,
  ...INFO,
  ...MEMBERS,
};

/** Client-side commands. The picker lists them, but they never reach the platform. */
const OF_CLIENTS: Record<NameIn<'client'>, string> = {
  me: 'Write your message in italics',
  poll: 'Create a poll',
  shrug: 'Append ¯\\_(ツ)_/¯ to your message',
  tableflip: 'Append (╯°□°)╯︵ ┻━┻ to your message',
  unflip: 'Append ┬─┬ノ( º _ ºノ) to your message',
  lenny: 'Append ( ͡° ͜ʖ ͡°) to your message',
};

const BY_NAME: ReadonlyMap<string, BuiltInCommand> = new Map(Object.entries<BuiltInCommand>(SERVED));

/** Undefined for client-side commands and unknown names. */
export function findBuiltIn(name: string): BuiltInCommand | undefined {
  return BY_NAME.get(name);
}

export function isOfClient(name: string): name is NameIn<'client'> {
  return Object.hasOwn(OF_CLIENTS, name);
}

export interface ListedCommand extends Pick<BuiltInCommand, 'description' | 'options'> {
  name: string;
  isOfClient: boolean;
}

export function listBuiltIns(): ListedCommand[] {
  const served = [...BY_NAME].map(([name, { description, options }]) => {
    return { name, description, options, isOfClient: false };
  });
  const others = Object.entries(OF_CLIENTS).map(([name, description]) => {
    return { name, description, options: [], isOfClient: true };
  });
  return [...served, ...others];
}
