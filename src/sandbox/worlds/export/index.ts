import type { Seed } from '../../protocol.js';
import type { World } from '../world.js';
import { applicationSeed } from './applications.js';
import { contentsOf } from './contents.js';
import { withoutDefaults } from './fields.js';
import { guildSeed } from './guilds.js';

/**
 * The seed of a new world that is like this one now. Seeds have no messages, webhooks, emojis, teams or voice states,
 * and no permissions of a channel for the own role of a bot.
 */
export async function exportSeed(world: World): Promise<Seed> {
  const contents = await contentsOf(world);
  const { people, guilds, applications } = contents;
  const { name, rateLimits } = world.seed;
  return withoutDefaults({
    name,
    people: people.map((person) => (person.displayName === null ? person.name : person)),
    guilds: await Promise.all(guilds.map((guild) => guildSeed(guild, contents))),
    applications: await Promise.all(applications.map((one) => applicationSeed(world, one, contents))),
    rateLimits: rateLimits === 'off' ? undefined : rateLimits,
  });
}
