import type { InteractionResponseType } from 'discord-api-types/v10';
import type { Interaction, InteractionState } from '../../infra/database/index.js';
import type { MessageEdit, NewMessage } from '../messages/body.js';
import type { ModalContent } from '../messages/components/index.js';

export type InteractionRecord = Interaction;

/** How far an interaction is, for those who wait for it. */
export interface InteractionProgress {
  id: bigint;
  /** The state that it came into; absent where that is as it was. */
  state?: InteractionState;
}

/** A choice that an autocompletion offers, in wire names. */
export interface OfferedChoice {
  name: string;
  name_localizations?: Record<string, string> | null;
  value: string | number;
}

/** The first answer to an interaction, by the reference platform's callback type. */
export type Callback =
  | { type: InteractionResponseType.ChannelMessageWithSource; message: NewMessage }
  | { type: InteractionResponseType.DeferredChannelMessageWithSource; flags: number }
  | { type: InteractionResponseType.DeferredMessageUpdate }
  | { type: InteractionResponseType.UpdateMessage; edit: MessageEdit }
  | { type: InteractionResponseType.ApplicationCommandAutocompleteResult; choices: OfferedChoice[] }
  | { type: InteractionResponseType.Modal; modal: ModalContent };

/** What can happen with an interaction. */
type StepKind =
  | 'HTTP'
  | 'GATEWAY'
  | 'CALLBACK'
  | 'FOLLOW_UP'
  | 'EDIT'
  | 'DELETE'
  /** An answer that could not be used. */
  | 'REFUSED'
  /** Nobody took it, or nobody answered in time. */
  | 'FAILED'
  /** The token's time was over. */
  | 'EXPIRED';

/** What is noted of a step. */
export interface Step {
  kind: StepKind;
  /** The HTTP status of the answer, the endpoint's or ours. */
  status?: number;
  durationMs?: number;
  /** Why it failed, in words. */
  reason?: string;
  /** What was sent, and what came. */
  request?: string;
  response?: string;
}
