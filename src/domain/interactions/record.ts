import type { InteractionResponseType } from 'discord-api-types/v10';
import type { Interaction, InteractionState } from '../../infra/database/index.js';
import type { ModalContent } from '../messages/components/index.js';
import type { MessageEdit, NewMessage } from '../messages/content/body.js';

export type InteractionRecord = Interaction;

export interface InteractionProgress {
  id: bigint;
  /** Absent if unchanged. */
  state?: InteractionState;
  /** The listener that alone may take it. */
  listenerId?: string;
}

/** An autocomplete choice with wire names. */
export interface OfferedChoice {
  name: string;
  name_localizations?: Record<string, string> | null;
  value: string | number;
}

export type Callback =
  | { type: InteractionResponseType.ChannelMessageWithSource; message: NewMessage }
  | { type: InteractionResponseType.DeferredChannelMessageWithSource; flags: number }
  | { type: InteractionResponseType.DeferredMessageUpdate }
  | { type: InteractionResponseType.UpdateMessage; edit: MessageEdit }
  | { type: InteractionResponseType.ApplicationCommandAutocompleteResult; choices: OfferedChoice[] }
  | { type: InteractionResponseType.Modal; modal: ModalContent };

type StepKind =
  | 'HTTP'
  | 'GATEWAY'
  | 'CALLBACK'
  | 'FOLLOW_UP'
  | 'EDIT'
  | 'DELETE'
  | 'REFUSED'
  /** The delivery failed, or no answer came in time. */
  | 'FAILED'
  /** The token expired. */
  | 'EXPIRED';

export interface Step {
  kind: StepKind;
  /** HTTP status that the endpoint returned. */
  status?: number;
  durationMs?: number;
  reason?: string;
  request?: string;
  response?: string;
}
