import { InteractionType } from 'discord-api-types/v10';
import type { Interaction, Prisma } from '../../../infra/database/index.js';
import { storedObject } from '../../../infra/database/stored.js';
import type { CallContext } from '../../call.js';
import type { MessageInteraction } from '../../messages/interaction.js';

export async function messageInteraction(
  call: CallContext,
  interaction: Interaction,
  isFollowUp: boolean,
): Promise<MessageInteraction> {
  const parent = await findParent(call, interaction);
  return {
    ...ownMetadata(interaction),
    ...(isFollowUp && interaction.originalMessageId !== null
      ? { originalMessageId: String(interaction.originalMessageId) }
      : {}),
    ...(parent ? { triggering: ownMetadata(parent) } : {}),
  };
}

async function findParent(call: CallContext, { parentId }: Interaction): Promise<Interaction | null> {
  return parentId === null ? null : call.read.interaction.findUnique({ where: { id: parentId } });
}

function ownMetadata(interaction: Interaction): Omit<MessageInteraction, 'triggering'> {
  const { id, type, name, userId, messageId } = interaction;
  return {
    id: String(id),
    type,
    name,
    userId: String(userId),
    owners: ownersOf(interaction.owners),
    ...(type === InteractionType.MessageComponent && messageId !== null
      ? { interactedMessageId: String(messageId) }
      : {}),
    ...targetOf(interaction.data),
  };
}

function ownersOf(value: Prisma.JsonValue): MessageInteraction['owners'] {
  const { guildId, userId } = storedObject(value);
  return {
    ...(typeof guildId === 'string' ? { guildId } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
  };
}

function targetOf(data: Prisma.JsonValue): Pick<MessageInteraction, 'targetUserId' | 'targetMessageId'> {
  const { type, target_id: target } = storedObject(data);
  if (typeof target !== 'string') return {};
  return type === 2 ? { targetUserId: target } : { targetMessageId: target };
}
