import { InteractionType } from 'discord-api-types/v10';
import type { Interaction } from '../../infra/database/index.js';
import { type CallContext, requireInteraction } from '../call.js';
import { DomainError } from '../errors.js';
import { applyEdit, type Edit } from '../messages/apply-edit.js';
import type { MessageEdit, NewMessage } from '../messages/body.js';
import { removeMessage } from '../messages/delete.js';
import type { UploadedFile } from '../messages/files.js';
import { loadMessage } from '../messages/load.js';
import type { MessageRecord } from '../messages/record.js';
import { postAnswer } from './answers.js';
import { storedOwners } from './owners.js';
import { placeOfApplication } from './place.js';
import { isAcknowledged } from './states.js';
import { addRepeatableStep } from './steps.js';

/** Which of an interaction's answers: the first, or a message by its id. */
export type AnswerKey = '@original' | bigint;

/** The most follow-ups where nobody but the person installed the application (Discord's documentation, Receiving and Responding). */
const FOLLOW_UPS_FOR_USER_INSTALL = 5;

/** A further answer. */
interface FollowUp {
  message: NewMessage;
  files: readonly UploadedFile[];
}

/**
 * Sends a further answer. Right after a deferred one it takes the place of that.
 * @throws UNKNOWN_WEBHOOK before the first answer and for an autocompletion, TOO_MANY_FOLLOW_UPS, and what `postMessage` throws
 */
export async function createFollowUp(call: CallContext, followUp: FollowUp): Promise<MessageRecord> {
  const { interaction } = requireAcknowledged(call);
  const filledIn = interaction.state === 'DEFERRED' ? await fillInDeferred(call, followUp) : null;
  if (filledIn) return filledIn;
  await countFollowUp(call, interaction);
  try {
    return await postFollowUp(call, followUp);
  } catch (error) {
    await uncountFollowUp(call, interaction);
    throw error;
  }
}

/** What the deferred answer became; null where another was quicker, or somebody removed it. @throws what {@link editAnswer} throws */
async function fillInDeferred(call: CallContext, { message, files }: FollowUp): Promise<MessageRecord | null> {
  try {
    return await editAnswer(call, { key: '@original', edit: asEdit(message), files, isFillingIn: true });
  } catch (error) {
    const isUnknown = error instanceof DomainError && error.code === 'UNKNOWN_MESSAGE';
    if (isUnknown && !(await isDeferredStill(call))) return null;
    throw error;
  }
}

/** Whether the deferred answer is still to come, be its message not stored yet. */
async function isDeferredStill(call: CallContext): Promise<boolean> {
  const { id } = requireInteraction(call).interaction;
  const now = await call.read.interaction.findUnique({ where: { id }, select: { state: true } });
  return now?.state !== 'ANSWERED';
}

async function postFollowUp(call: CallContext, { message, files }: FollowUp): Promise<MessageRecord> {
  const { interaction, application } = requireAcknowledged(call);
  const posted = await postAnswer(call, { interaction, application, message, files, id: null });
  await addRepeatableStep(call, interaction, { kind: 'FOLLOW_UP', response: `message ${posted.id}` });
  return posted;
}

/** What a message says, as an edit of one that says nothing yet. */
function asEdit({ content, embeds, components, flags, allowedMentions, attachments }: NewMessage): MessageEdit {
  return { content, embeds, components, flags, allowedMentions, attachments };
}

/** @throws TOO_MANY_FOLLOW_UPS */
async function countFollowUp(call: CallContext, { id, owners }: Interaction): Promise<void> {
  const isLimited = storedOwners(owners).guildId === undefined;
  const where = { id, ...(isLimited ? { followUps: { lt: FOLLOW_UPS_FOR_USER_INSTALL } } : {}) };
  const { count } = await call.writeOne((db) =>
    db.interaction.updateMany({ where, data: { followUps: { increment: 1 } } }),
  );
  if (count === 1) return;
  throw new DomainError(
    'TOO_MANY_FOLLOW_UPS',
    `An application that is not installed in the server may send ${FOLLOW_UPS_FOR_USER_INSTALL} follow-up messages.`,
  );
}

/** One that was refused is none. */
function uncountFollowUp(call: CallContext, { id }: Interaction): Promise<unknown> {
  return call.writeOne((db) => db.interaction.updateMany({ where: { id }, data: { followUps: { decrement: 1 } } }));
}

/** One of the answers. @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE for a message that is none of them */
export async function getAnswer(call: CallContext, key: AnswerKey): Promise<MessageRecord> {
  const { interaction } = requireAcknowledged(call);
  const place = await placeOfApplication(call, interaction);
  const id = key === '@original' ? interaction.originalMessageId : key;
  if (id === null) throw new DomainError('UNKNOWN_MESSAGE');
  const message = await loadMessage(call, place, id, { kind: 'application', applicationId: interaction.applicationId });
  if (!isAnswerTo(message, interaction)) throw new DomainError('UNKNOWN_MESSAGE');
  return message;
}

function isAnswerTo({ id, applicationId, interaction: answered }: MessageRecord, interaction: Interaction): boolean {
  if (id === interaction.originalMessageId) return true;
  return applicationId === interaction.applicationId && answered?.id === String(interaction.id);
}

/** A change of one of the answers. */
interface AnswerEdit extends Pick<Edit, 'files' | 'isFillingIn'> {
  key: AnswerKey;
  edit: MessageEdit;
}

/**
 * Edits one of the answers; a deferred one is an answer from then on.
 * @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE and what `applyEdit` throws
 */
export async function editAnswer(call: CallContext, { key, edit, ...more }: AnswerEdit): Promise<MessageRecord> {
  const { interaction } = requireAcknowledged(call);
  const message = await getAnswer(call, key);
  const place = await placeOfApplication(call, interaction);
  const edited = await applyEdit(call, message, { ...more, place, body: edit, asAuthor: true });
  await addRepeatableStep(call, interaction, { kind: 'EDIT', response: `message ${message.id}` });
  return edited;
}

/** Removes one of the answers for good. @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE */
export async function deleteAnswer(call: CallContext, key: AnswerKey): Promise<void> {
  const { interaction } = requireAcknowledged(call);
  const message = await getAnswer(call, key);
  await removeMessage(call, await placeOfApplication(call, interaction), message);
  await addRepeatableStep(call, interaction, { kind: 'DELETE', response: `message ${message.id}` });
}

/** The interaction whose token was shown. @throws UNKNOWN_WEBHOOK while nobody has answered it, and for one that no message answers */
function requireAcknowledged(call: CallContext) {
  const actor = requireInteraction(call);
  const { interaction } = actor;
  const isAutocompletion = interaction.type === InteractionType.ApplicationCommandAutocomplete;
  if (isAutocompletion || !isAcknowledged(interaction, call.clock.now())) throw new DomainError('UNKNOWN_WEBHOOK');
  return actor;
}
