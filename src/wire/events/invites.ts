import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { maxAgeOf } from '../../domain/invites/index.js';
import { Permission } from '../../domain/permissions.js';
import type { Invite } from '../../infra/database/index.js';
import { wireTime } from '../time.js';
import { renderUser } from '../users.js';
import type { EventRows } from './row.js';

const ofInvite = {
  topic: 'guild',
  about: ({ invite }: { invite: Invite }) => ({ guildId: invite.guildId, channelId: invite.channelId }),
  invalidates: [],
  audience: { intent: Intent.GuildInvites, inChannel: Permission.ManageChannels },
} as const;

export const inviteEvents = {
  INVITE_CREATE: {
    ...ofInvite,
    render: ({ invite }) => ({
      d: {
        ...placeOf(invite),
        created_at: wireTime(invite.createdAt),
        inviter: renderUser(invite.inviter),
        expires_at: invite.expiresAt && wireTime(invite.expiresAt),
        max_age: maxAgeOf(invite),
        max_uses: invite.maxUses,
        temporary: invite.temporary,
        uses: invite.uses,
      },
    }),
  },
  INVITE_DELETE: { ...ofInvite, render: ({ invite }) => ({ d: placeOf(invite) }) },
} satisfies Partial<EventRows>;

function placeOf({ guildId, channelId, code }: Invite) {
  return { channel_id: String(channelId), guild_id: String(guildId), code };
}
