import { ComponentType, InteractionType } from 'discord-api-types/v10';
import { type CallContext, requirePerson } from '../../call.js';
import type { ChannelAccess } from '../../channels/access.js';
import { ANY_GUILD } from '../../command-permissions/direct.js';
import type { IntegrationOwners } from '../../command-permissions/record.js';
import { DomainError, type FieldFault, invalidInput } from '../../errors.js';
import { accessChannel, requireTakingPart } from '../../guilds/access.js';
import { findComponent, type InteractiveComponent } from '../../messages/components/index.js';
import type { MessageRecord } from '../../messages/record.js';
import { isForCallerOnly, ownersOfMessage, requireInstalled } from '../owners.js';
import { findApplication } from './applications.js';
import { loadInteractionContext } from './interaction-context.js';
import { findVisibleMessage, withReactionsOf } from './messages.js';
import { newReading, type Reading, requireFaultless } from './reading.js';
import type { ComponentData, InteractionRequest } from './request.js';
import { readChosen } from './selects.js';

export interface UsedComponent {
  channelId: bigint;
  messageId: bigint;
  customId: string;
  /** Absent for a button. */
  values?: readonly string[] | undefined;
}

/**
 * The caller must be able to read the message and not be timed out.
 * @throws UNKNOWN_MESSAGE, UNKNOWN_APPLICATION if it is not installed any more, INVALID_INPUT (at `customId`,
 * `values`), and the errors of `accessChannel` and `requireTakingPart`
 */
export async function componentRequest(call: CallContext, input: UsedComponent): Promise<InteractionRequest> {
  const { user } = requirePerson(call);
  const place = await accessChannel(call, input.channelId, 'viewChannel');
  requireTakingPart(call, place);
  const message = await findVisibleMessage(call, place, input.messageId);
  if (!message) throw new DomainError('UNKNOWN_MESSAGE');
  const component = requireUsable(message, input.customId);
  const reading = newReading();
  const data = readUse(reading, component, input);
  requireFaultless(reading);
  const application = await findApplication(call, message.applicationId ?? message.authorId);
  const owners = await requireInstalled(call, application, ownersOf(message, ownersAt(place, user.id)));
  const ephemeralOnly = isForCallerOnly(owners, place);
  const { wanted } = reading;
  const context = await loadInteractionContext(call, { application, place, owners, ephemeralOnly, wanted });
  return {
    ...context,
    type: InteractionType.MessageComponent,
    name: input.customId,
    commandId: null,
    parentId: null,
    data,
    message: await withReactionsOf(call, message, application.id),
  };
}

/** @throws INVALID_INPUT for an unknown custom id or a disabled component */
function requireUsable(message: MessageRecord, customId: string): InteractiveComponent {
  const component = findComponent(message.components, customId);
  if (!component) throw refusedAt('customId', 'The message has no component with this custom id.');
  if (component.disabled) throw refusedAt('customId', 'The component is disabled.');
  return component;
}

function refusedAt(path: string, message: string) {
  return invalidInput(faultAt(path, message));
}

function faultAt(path: string, message: string): FieldFault {
  return { path, code: 'BASE_TYPE_INVALID', message };
}

function readUse(
  reading: Reading,
  component: InteractiveComponent,
  { customId, values = [] }: UsedComponent,
): ComponentData {
  const { type, id } = component;
  const facts = { component_type: type, custom_id: customId, id };
  if (component.type !== ComponentType.Button) {
    const { min_values: min, max_values: max } = component;
    return { ...facts, values: readChosen(reading, component, values, { min, max, mayBeEmpty: false }, 'values') };
  }
  if (values.length > 0) reading.faults.push(faultAt('values', 'Buttons do not take values.'));
  return facts;
}

/** An answer to an interaction has that interaction's owners. Any other message has the owners of its channel. */
function ownersOf({ applicationId, interaction }: MessageRecord, ofPlace: IntegrationOwners): IntegrationOwners {
  return applicationId === null || interaction === null ? ofPlace : ownersOfMessage(interaction);
}

/** In a direct channel, the bot may be installed in any guild shared with the user, or for the user. */
function ownersAt(place: ChannelAccess, userId: bigint): IntegrationOwners {
  return place.kind === 'guild' ? { guildId: place.guildId } : { guildId: ANY_GUILD, userId };
}
