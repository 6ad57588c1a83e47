import type { Person } from '../../harness/people.js';
import type { RestBot } from '../../harness/rest.js';
import type { Cast } from './cast.js';
import type { Picture } from './picture.js';
import type { Random } from './random.js';

/** What came of a request. A refusal is an outcome, too. */
export interface Outcome {
  done: boolean;
  /** What was answered, for who looks into a run. */
  answer: string;
}

/** Something that somebody is about to do. */
export type Step = () => Promise<Outcome>;

/** From what a step is planned. */
export interface Scene {
  cast: Cast;
  picture: Picture;
  random: Random;
}

/** A kind of thing that may happen. */
export interface Operation {
  /** The higher, the more often. */
  weight: number;
  /** Decides who does what, by the numbers of the scene alone; null where there is nothing to do it to. */
  plan(scene: Scene): Step | null;
}

export type Operations = Record<string, Operation>;

/** @throws Error where the answer is a fault of the server */
export function byBot(bot: RestBot, method: string, path: string, json?: unknown): Step {
  return async () => {
    const { status, body } = await bot.ask(method, path, json === undefined ? {} : { json });
    const answer = `${method} ${path} ${JSON.stringify(json)}: ${status} ${JSON.stringify(body)}`;
    if (status >= 500) throw new Error(answer);
    return { done: status < 300, answer };
  };
}

/**
 * A mutation by a person.
 * @param type of its input
 * @param more its other arguments, each with its type
 * @throws Error where the answer is a fault of the server
 */
export function byPerson(
  person: Person,
  mutation: string,
  type: string,
  input: object,
  more: Record<string, [type: string, value: unknown]> = {},
): Step {
  const extra = Object.entries(more);
  const declared = extra.map(([name, [itsType]]) => `, $${name}: ${itsType}`).join('');
  const given = extra.map(([name]) => `, ${name}: $${name}`).join('');
  const query = `mutation ($input: ${type}!${declared}) { ${mutation}(input: $input${given}) { __typename } }`;
  const variables = { input, ...Object.fromEntries(extra.map(([name, [, value]]) => [name, value])) };
  return async () => {
    const { errors } = await person.ask(query, variables);
    const answer = `${person.name} ${mutation} ${JSON.stringify(variables)}: ${JSON.stringify(errors)}`;
    const isFault = errors.some(({ extensions }) =>
      ['INTERNAL', 'UNAVAILABLE'].includes(extensions.code ?? 'INTERNAL'),
    );
    if (isFault) throw new Error(answer);
    return { done: errors.length === 0, answer };
  };
}

/** A bot that may do nearly everything; at times one that may not. */
export function moderator({ cast, random }: Scene): RestBot {
  if (random.chance(0.03)) return cast.watcher.rest;
  return random.of([cast.administrator.rest, cast.roamer.rest, cast.worker]);
}

/** The owner; at times somebody who may do less. */
export function ruler(scene: Scene): Person {
  return scene.random.chance(0.92) ? scene.cast.owner : (member(scene) ?? scene.cast.owner);
}

/** A person in the guild, the owner not among them. */
export function member({ cast, picture, random }: Scene): Person | null {
  return random.orNull(cast.people.filter(({ id }) => picture.members.includes(id)));
}

/** A person in the guild. */
export function anybody(scene: Scene): Person {
  return scene.random.chance(0.4) ? scene.cast.owner : (member(scene) ?? scene.cast.owner);
}
