import { type APIPingInteraction, InteractionType } from 'discord-api-types/v10';
import type { Ping } from '../domain/interactions-endpoints/index.js';
import { limits } from '../domain/limits.js';
import { renderUser } from './users.js';

export function renderPing({ id, applicationId, token, user }: Ping): string {
  const ping: APIPingInteraction = {
    id: String(id),
    application_id: String(applicationId),
    type: InteractionType.Ping,
    token,
    version: 1,
    user: renderUser(user),
    app_permissions: '0',
    entitlements: [],
    authorizing_integration_owners: {},
    attachment_size_limit: limits.fileSize,
  };
  return JSON.stringify(ping);
}
