import {
  type APIAuthorizingIntegrationOwnersMap,
  type APIMessage,
  type APIMessageInteractionMetadata,
  type APIModalSubmitInteractionMetadata,
  type APIUser,
  ApplicationIntegrationType,
  InteractionType,
} from 'discord-api-types/v10';
import type { MessageInteraction, MessageRecord } from '../domain/messages/index.js';
import { renderUser } from './users.js';

type Shown = Pick<APIMessage, 'application_id' | 'webhook_id' | 'interaction_metadata' | 'interaction'>;

/**
 * The application's id replaces the webhook id of an interaction response (Discord's documentation, Message Resource).
 */
export function renderAnswered({ applicationId, webhookId, interaction, interactionUsers }: MessageRecord): Shown {
  const application =
    applicationId === null
      ? {}
      : { application_id: String(applicationId), webhook_id: String(webhookId ?? applicationId) };
  if (interaction === null) return application;
  const users = new Map(interactionUsers.map((user) => [String(user.id), renderUser(user)]));
  const metadata = renderMetadata(interaction, users);
  const legacy = renderLegacy(interaction, users);
  return {
    ...application,
    ...(metadata ? { interaction_metadata: metadata } : {}),
    ...(legacy ? { interaction: legacy } : {}),
  };
}

type Users = ReadonlyMap<string, APIUser>;

/** Undefined for interaction types that messages do not show. */
function renderMetadata(interaction: MessageInteraction, users: Users): APIMessageInteractionMetadata | undefined {
  if (interaction.type !== InteractionType.ModalSubmit) return renderOpening(interaction, users);
  const common = renderCommon(interaction, users);
  const triggering = interaction.triggering && renderOpening(interaction.triggering, users);
  return common && triggering && { ...common, type: interaction.type, triggering_interaction_metadata: triggering };
}

/** Only command and component interactions can open a modal. */
function renderOpening(
  interaction: Omit<MessageInteraction, 'triggering'>,
  users: Users,
): APIModalSubmitInteractionMetadata['triggering_interaction_metadata'] | undefined {
  const { type, targetUserId, targetMessageId, interactedMessageId = '' } = interaction;
  const common = renderCommon(interaction, users);
  const target = users.get(targetUserId ?? '');
  if (!common) return undefined;
  switch (type) {
    case InteractionType.ApplicationCommand:
      return {
        ...common,
        type,
        ...(target ? { target_user: target } : {}),
        ...(targetMessageId === undefined ? {} : { target_message_id: targetMessageId }),
      };
    case InteractionType.MessageComponent:
      return { ...common, type, interacted_message_id: interactedMessageId };
    default:
      return undefined;
  }
}

function renderCommon({ id, userId, owners, originalMessageId }: Omit<MessageInteraction, 'triggering'>, users: Users) {
  const user = users.get(userId);
  return (
    user && {
      id,
      user,
      authorizing_integration_owners: renderOwners(owners),
      ...(originalMessageId === undefined ? {} : { original_response_message_id: originalMessageId }),
    }
  );
}

/** The installations that authorised an interaction. */
export function renderOwners({ guildId, userId }: Owners): APIAuthorizingIntegrationOwnersMap {
  return {
    ...(guildId === undefined ? {} : { [ApplicationIntegrationType.GuildInstall]: String(guildId) }),
    ...(userId === undefined ? {} : { [ApplicationIntegrationType.UserInstall]: String(userId) }),
  };
}

interface Owners {
  guildId?: bigint | string | undefined;
  userId?: bigint | string | undefined;
}

/** The older form, which clients show above the first response to a command. */
function renderLegacy({ id, type, name, userId, originalMessageId }: MessageInteraction, users: Users) {
  const user = users.get(userId);
  if (type !== InteractionType.ApplicationCommand || originalMessageId !== undefined || !user) return undefined;
  return { id, type, name, user };
}
