import { InteractionType } from 'discord-api-types/v10';
import type { Interaction } from '../../../infra/database/index.js';
import { type CallContext, requirePerson } from '../../call.js';
import { DomainError } from '../../errors.js';
import { accessChannel, requireTakingPart } from '../../guilds/access.js';
import { isForCallerOnly, requireInstalled, storedOwners } from '../owners.js';
import { findApplication } from './applications.js';
import { readModal } from './filled-inputs.js';
import { allotFileIds, checkTaken, type GivenFiles, showFiles } from './given-files.js';
import type { SubmittedPart } from './input.js';
import { loadInteractionContext } from './interaction-context.js';
import { findMessageFor } from './messages.js';
import { storedModal } from './modals.js';
import { newReading, requireFaultless } from './reading.js';
import type { InteractionRequest } from './request.js';

export interface SubmittedModal {
  /** The interaction that was answered with the modal. The caller must check its expiry and earlier submissions. */
  interaction: Interaction;
  components: readonly SubmittedPart[];
  files?: GivenFiles | undefined;
}

/**
 * @throws UNKNOWN_INTERACTION if the interaction shows the caller no modal, UNKNOWN_APPLICATION, INVALID_INPUT (at
 * `components`, `files`), TOO_MANY_ATTACHMENTS, FILE_TOO_LARGE, REQUEST_TOO_LARGE, and the errors of `accessChannel`
 * and `requireTakingPart`
 */
export async function modalRequest(
  call: CallContext,
  { interaction, components, files = [] }: SubmittedModal,
): Promise<InteractionRequest> {
  const { user } = requirePerson(call);
  const modal = storedModal(interaction.modal);
  if (!modal || interaction.userId !== user.id) throw new DomainError('UNKNOWN_INTERACTION');
  const place = await accessChannel(call, interaction.channelId, 'viewChannel');
  requireTakingPart(call, place);
  const reading = newReading(allotFileIds(call, files));
  const data = readModal(reading, modal, components);
  checkTaken(reading);
  requireFaultless(reading);
  const application = await findApplication(call, interaction.applicationId);
  const owners = await requireInstalled(call, application, storedOwners(interaction.owners));
  const ephemeralOnly = isForCallerOnly(owners, place);
  const { wanted } = reading;
  const context = await loadInteractionContext(call, { application, place, owners, ephemeralOnly, wanted });
  return {
    ...context,
    resolved: { ...context.resolved, files: showFiles(reading, files) },
    type: InteractionType.ModalSubmit,
    name: modal.custom_id,
    commandId: null,
    parentId: interaction.id,
    data,
    message: await findSource(call, context, interaction.messageId),
  };
}

async function findSource(call: CallContext, at: Parameters<typeof findMessageFor>[1], messageId: bigint | null) {
  return messageId === null ? null : ((await findMessageFor(call, at, messageId)) ?? null);
}
