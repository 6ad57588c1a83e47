import { createApplicationEmoji, createEmoji } from '../../src/domain/emojis/index.js';
import { PIXEL } from './images.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';
import { callOf, userOf } from './world.js';

type Home = { guildId: string } | { applicationId: string };

/**
 * Makes an emoji of a server or an application.
 * @returns its id
 */
export async function makeEmoji({ app }: TestServer, person: Person, home: Home, name: string): Promise<string> {
  const call = callOf(app, await userOf(app, person));
  const image = async () => PIXEL;
  const { emoji } =
    'guildId' in home
      ? await createEmoji(call, { guildId: BigInt(home.guildId), name, image })
      : await createApplicationEmoji(call, { applicationId: BigInt(home.applicationId), name, image });
  return String(emoji.id);
}
