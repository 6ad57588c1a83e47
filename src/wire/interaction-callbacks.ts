import {
  MessageFlags,
  type RESTPostAPIInteractionCallbackWithResponseResult,
  InteractionResponseType as Type,
} from 'discord-api-types/v10';
import type { Answer } from '../domain/interactions/index.js';
import { renderMessage, type WireOptions } from './messages.js';

type CallbackResponse = RESTPostAPIInteractionCallbackWithResponseResult;

/** See Discord's documentation, Receiving and Responding, Interaction Callback Response. */
export function renderCallbackResponse(answer: Answer, options: WireOptions): CallbackResponse {
  const { interaction, message } = answer;
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
    ...renderResource(answer, options),
  };
}

/** Choices and modals have no resource. A deferred response has only its type, which JDA relies on. */
function renderResource(
  { callback: { type }, message }: Answer,
  options: WireOptions,
): Pick<CallbackResponse, 'resource'> {
  switch (type) {
    case Type.ChannelMessageWithSource:
    case Type.UpdateMessage:
      return { resource: { type, ...(message ? { message: renderMessage(message, options) } : {}) } };
    case Type.DeferredChannelMessageWithSource:
    case Type.DeferredMessageUpdate:
      return { resource: { type } };
    case Type.ApplicationCommandAutocompleteResult:
    case Type.Modal:
      return {};
  }
}
