import type { Person } from '../../harness/people.js';
import type { RestBot } from '../../harness/rest.js';
import type { Cast } from './cast.js';
import type { Picture } from './picture.js';
import type { Random } from './random.js';

/** The outcome of a request. A refusal is an outcome, too. */
export interface Outcome {
  done: boolean;
  /** The response, for debugging. */
  answer: string;
}

export type Step = () => Promise<Outcome>;

export interface Scene {
  cast: Cast;
  picture: Picture;
  random: Random;
}

export interface Operation {
  weight: number;
  /** Plans a step from the scene and its random numbers only. Null if there is no target. */
  plan(scene: Scene): Step | null;
}

export type Operations = Record<string, Operation>;

/** @throws Error for a server error in the response */
export function byBot(bot: RestBot, method: string, path: string, json?: unknown): Step {
  return async () => {
    const { status, body } = await bot.ask(method, path, json === undefined ? {} : { json });
    const answer = `${method} ${path} ${JSON.stringify(json)}: ${status} ${JSON.stringify(body)}`;
    if (status >= 500) throw new Error(answer);
    return { done: status < 300, answer };
  };
}

/**
 * A mutation by a user.
 * @param type of its input
 * @param more its other arguments, each with its type
 * @throws Error for a server error in the response
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

/** A bot with nearly all permissions, or sometimes one without them. */
export function moderator({ cast, random }: Scene): RestBot {
  if (random.chance(0.03)) return cast.watcher.rest;
  return random.of([cast.administrator.rest, cast.roamer.rest, cast.worker]);
}

/** The owner, or sometimes a user with fewer permissions. */
export function ruler(scene: Scene): Person {
  return scene.random.chance(0.92) ? scene.cast.owner : (member(scene) ?? scene.cast.owner);
}

export function member({ cast, picture, random }: Scene): Person | null {
  return random.orNull(cast.people.filter(({ id }) => picture.members.includes(id)));
}

export function anybody(scene: Scene): Person {
  return scene.random.chance(0.4) ? scene.cast.owner : (member(scene) ?? scene.cast.owner);
}
