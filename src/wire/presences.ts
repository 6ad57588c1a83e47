import type { GatewayActivity, GatewayPresenceUpdate } from 'discord-api-types/v10';
import type { Activity, ShownPresence } from '../domain/presences/index.js';

/** All clients count as web clients. */
export function renderPresence({ userId, status, activities }: ShownPresence): Omit<GatewayPresenceUpdate, 'guild_id'> {
  return {
    user: { id: String(userId) },
    status: status as GatewayPresenceUpdate['status'] & string,
    activities: activities.map(renderActivity),
    client_status: status === 'offline' ? {} : { web: status as never },
  };
}

function renderActivity({ name, type, state, url, createdAt }: Activity, index: number): GatewayActivity {
  return {
    id: String(index),
    name,
    type,
    ...(state === undefined ? {} : { state }),
    ...(url === undefined ? {} : { url }),
    created_at: createdAt,
  };
}
