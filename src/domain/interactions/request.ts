import type { InteractionContextType, InteractionType } from 'discord-api-types/v10';
import type { Application, Guild, Prisma, User } from '../../infra/database/index.js';
import type { ChannelRecord } from '../channels/record.js';
import type { GuildPlace } from '../channels/place.js';
import type { MemberRecord } from '../members/record.js';
import type { MessageRecord } from '../messages/record.js';
import type { AuthorizingOwners } from './record.js';

/** What somebody asked of an application, checked and complete: what is stored and delivered. */
export interface InteractionRequest {
  application: Application;
  type: InteractionType;
  user: User;
  place: GuildPlace;
  channel: ChannelRecord;
  guild: Guild;
  member: MemberRecord | null;
  name: string;
  commandId: bigint | null;
  data: Prisma.InputJsonObject;
  message: MessageRecord | null;
  owners: AuthorizingOwners;
  ephemeralOnly: boolean;
  appPermissions: bigint;
  locale: string;
  guildLocale: string;
  context: InteractionContextType;
}
