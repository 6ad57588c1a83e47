import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { ChannelAccess } from '../channels/access.js';
import type { CommandOption } from '../commands/record.js';
import type { RESERVED_NAMES } from '../commands/reserved-names.js';
import type { ChannelOperation } from '../guild-operations.js';
import type { GivenParameter } from '../interactions/requests/request.js';
import type { AllowedMentions } from '../messages/content/body.js';
import type { MessageEmbeds } from '../messages/content/embeds.js';

type Group = keyof typeof RESERVED_NAMES;

export type NameIn<G extends Group> = (typeof RESERVED_NAMES)[G][number];

export interface BuiltInCommand {
  description: string;
  options: readonly CommandOption[];
  /** Needed in addition to running commands. A public answer counts as sent by the caller. */
  needs?: readonly ChannelOperation[];
  run(invocation: Invocation): Promise<BuiltInAnswer>;
}

/** Needed to answer in public. */
export const SAID: readonly ChannelOperation[] = ['sendMessage'];

export interface Invocation {
  call: CallContext;
  caller: User;
  place: ChannelAccess;
  given: Given;
}

export interface BuiltInAnswer {
  /** At most 4,000 characters. */
  content?: string;
  embeds?: MessageEmbeds;
  /** PNG. */
  picture?: { filename: string; png: Buffer };
  isPrivate: boolean;
  mentions?: AllowedMentions;
}

export class Given {
  constructor(
    private readonly parameters: readonly GivenParameter[],
    private readonly users: ReadonlyMap<bigint, User>,
  ) {}

  text(name: string): string | undefined {
    const value = this.#value(name);
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#value(name);
    return typeof value === 'number' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#value(name) === true;
  }

  id(name: string): bigint | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : BigInt(text);
  }

  user(name: string): User | undefined {
    const id = this.id(name);
    return id === undefined ? undefined : this.users.get(id);
  }

  #value(name: string): GivenParameter['value'] | undefined {
    return this.parameters.find((parameter) => parameter.name === name)?.value;
  }
}

export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A required option of the built-in command is missing.');
  return value;
}

export function openly(content: string): BuiltInAnswer {
  return { content, isPrivate: false };
}

export function privately(content: string): BuiltInAnswer {
  return { content, isPrivate: true };
}
