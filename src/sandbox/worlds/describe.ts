import { REST_PATH } from '../../http/rest-paths.js';
import type { BotConnections } from '../connections.js';
import type { WorldDescription } from '../protocol.js';
import type { World } from './world.js';

/** Describes a world to a test program. */
export async function describeWorld(world: World, connections: BotConnections): Promise<WorldDescription> {
  const { app } = world;
  const { publicUrl, gatewayUrl } = app.addresses;
  const guildIds = world.guilds.map(({ id }) => id);
  const readers = [app, ...(world.box ? [world.box.app] : [])].map(({ db }) => db.reader);
  const listed = readers.map((reader) =>
    Promise.all([
      reader.channel.findMany({ where: { guildId: { in: guildIds } }, orderBy: { position: 'asc' } }),
      reader.role.findMany({ where: { guildId: { in: guildIds } }, orderBy: { position: 'asc' } }),
    ]),
  );
  const lists = await Promise.all(listed);
  const [channels, roles] = [lists.flatMap(([one]) => one), lists.flatMap(([, one]) => one)];
  return {
    id: world.id,
    name: world.seed.name ?? `World ${world.id}`,
    api: `${publicUrl}${REST_PATH.replace(/\/v\d+$/, '')}`,
    gateway: gatewayUrl,
    portal: `${publicUrl}/portal`,
    people: [...world.people.values()].map(({ id, name }) => ({ id: String(id), name })),
    guilds: world.guilds.map(({ id, name, ownerId }) => ({
      id: String(id),
      name,
      owner: String(ownerId),
      channels: channels
        .filter(({ guildId }) => guildId === id)
        .map((channel) => ({ id: String(channel.id), name: channel.name, type: channel.type })),
      roles: roles.filter(({ guildId }) => guildId === id).map((role) => ({ id: String(role.id), name: role.name })),
      isOnBox: world.isOnBox(id),
    })),
    applications: world.applications.map(({ id, ownerId: _owner, ...rest }) => ({
      id: String(id),
      ...rest,
      isConnected: connections.of(id).length > 0,
    })),
  };
}
