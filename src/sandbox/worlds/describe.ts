import { REST_PATH } from '../../http/rest-paths.js';
import type { BotConnections } from '../connections.js';
import type { WorldDescription } from '../protocol.js';
import type { World } from './world.js';

/** Describes a world to a test program. */
export async function describeWorld(world: World, connections: BotConnections): Promise<WorldDescription> {
  const { app } = world;
  const { publicUrl, gatewayUrl } = app.addresses;
  const guildIds = world.guilds.map(({ id }) => id);
  const [channels, roles] = await Promise.all([
    app.db.reader.channel.findMany({ where: { guildId: { in: guildIds } }, orderBy: { position: 'asc' } }),
    app.db.reader.role.findMany({ where: { guildId: { in: guildIds } }, orderBy: { position: 'asc' } }),
  ]);
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
    })),
    applications: world.applications.map(({ id, ownerId: _owner, ...rest }) => ({
      id: String(id),
      ...rest,
      isConnected: connections.of(id).length > 0,
    })),
  };
}
