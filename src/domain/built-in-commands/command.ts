import type { User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { Place } from '../channels/place.js';
import type { CommandOption } from '../commands/record.js';
import type { RESERVED_NAMES } from '../commands/reserved-names.js';
import type { ChannelOperation } from '../guild-operations.js';
import type { GivenParameter } from '../interactions/request.js';
import type { AllowedMentions } from '../messages/body.js';
import type { MessageEmbeds } from '../messages/embeds.js';

type Group = keyof typeof RESERVED_NAMES;

/** The names of the commands of a group. */
export type NameIn<G extends Group> = (typeof RESERVED_NAMES)[G][number];

/** A command that the platform answers itself. */
export interface BuiltInCommand {
  description: string;
  options: readonly CommandOption[];
  /** What the caller needs in the channel for the answer, beside running commands at all: what everybody sees counts as said by them. */
  needs?: readonly ChannelOperation[];
  run(invocation: Invocation): Promise<BuiltInAnswer>;
}

/** What an answer takes that everybody sees. */
export const SAID: readonly ChannelOperation[] = ['sendMessage'];

/** Somebody runs a built-in command. */
export interface Invocation {
  call: CallContext;
  caller: User;
  place: Place;
  given: Given;
}

/** What the command answers. */
export interface BuiltInAnswer {
  /** At most 4,000 characters. */
  content?: string;
  embeds?: MessageEmbeds;
  /** A picture, as PNG. */
  picture?: { filename: string; png: Buffer };
  /** Whether the caller alone sees it. */
  isPrivate: boolean;
  /** Whom it notifies of those it mentions; nobody unless stated. */
  mentions?: AllowedMentions;
}

/** What the options of a command were given, by their names; each is asked for as what its type says. */
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

  /** A role's or a channel's id. */
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

/** For an option that the command requires, so that it was given. @throws Error for one that is not required after all */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a required option of a built-in command was not given');
  return value;
}

/** An answer for everybody. */
export function openly(content: string): BuiltInAnswer {
  return { content, isPrivate: false };
}

/** An answer for the caller alone. */
export function privately(content: string): BuiltInAnswer {
  return { content, isPrivate: true };
}
