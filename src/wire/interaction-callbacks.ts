import {
  InteractionResponseType,
  MessageFlags,
  type RESTPostAPIInteractionCallbackWithResponseResult,
} from 'discord-api-types/v10';
import type { Answer } from '../domain/interactions/index.js';
import { renderMessage, type WireOptions } from './messages.js';

/** What a first answer made of an interaction (Discord's documentation, Receiving and Responding). */
export function renderCallbackResponse(
  { interaction, callback, message }: Answer,
  options: WireOptions,
): RESTPostAPIInteractionCallbackWithResponseResult {
  const isDeferred = callback.type === InteractionResponseType.DeferredChannelMessageWithSource;
  const isShown = message !== null && !isDeferred;
  return {
    interaction: {
      id: String(interaction.id),
      type: interaction.type,
      ...(message
        ? {
            response_message_id: String(message.id),
            response_message_loading: (message.flags & MessageFlags.Loading) !== 0,
            response_message_ephemeral: (message.flags & MessageFlags.Ephemeral) !== 0,
          }
        : {}),
    },
    resource: {
      type: callback.type as InteractionResponseType.ChannelMessageWithSource,
      ...(isShown ? { message: renderMessage(message, options) } : {}),
    },
  };
}
