import { InteractionType } from 'discord-api-types/v10';
import type { Interaction } from '../../../infra/database/index.js';
import { type CallContext, requireInteraction } from '../../call.js';
import type { ChannelAccess } from '../../channels/access.js';
import { DomainError } from '../../errors.js';
import { applyEdit, type Edit } from '../../messages/apply-edit.js';
import type { MessageEdit, NewMessage } from '../../messages/content/body.js';
import { removeMessage } from '../../messages/delete.js';
import type { UploadedFile } from '../../messages/files/files.js';
import { loadMessage } from '../../messages/load.js';
import type { MessageRecord } from '../../messages/record.js';
import { storedOwners } from '../owners.js';
import { isAcknowledged } from '../states.js';
import { addRepeatableStep } from '../steps.js';
import { postAnswer } from './answers.js';
import { channelAccessOfApplication } from './channel-access.js';

/** The first answer, or a message id. */
export type AnswerKey = '@original' | bigint;

/** Limit if only the user installed the application (Discord's documentation, Receiving and Responding). */
const FOLLOW_UPS_FOR_USER_INSTALL = 5;

interface FollowUp {
  message: NewMessage;
  files: readonly UploadedFile[];
}

/**
 * Completes the first answer instead if it is deferred.
 * @throws UNKNOWN_WEBHOOK before the first answer and for autocomplete, TOO_MANY_FOLLOW_UPS, and the errors of
 * `postMessage`
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

/** Null if the deferred answer was already completed or deleted. @throws the errors of {@link editAnswer} */
async function fillInDeferred(call: CallContext, { message, files }: FollowUp): Promise<MessageRecord | null> {
  try {
    return await editAnswer(call, { key: '@original', edit: asEdit(message), files, isFillingIn: true });
  } catch (error) {
    const isUnknown = error instanceof DomainError && error.code === 'UNKNOWN_MESSAGE';
    if (isUnknown && !(await isDeferredStill(call))) return null;
    throw error;
  }
}

/** True also before the message of the deferred answer is stored. */
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
    `An application that is not installed in the server can send at most ${FOLLOW_UPS_FOR_USER_INSTALL} follow-up messages.`,
  );
}

function uncountFollowUp(call: CallContext, { id }: Interaction): Promise<unknown> {
  return call.writeOne((db) => db.interaction.updateMany({ where: { id }, data: { followUps: { decrement: 1 } } }));
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE if the message does not answer the interaction */
export async function getAnswer(call: CallContext, key: AnswerKey): Promise<MessageRecord> {
  return (await findAnswer(call, key)).message;
}

interface FoundAnswer {
  interaction: Interaction;
  /** Loaded before the message, so that its clock is not too new. */
  place: ChannelAccess;
  message: MessageRecord;
}

async function findAnswer(call: CallContext, key: AnswerKey): Promise<FoundAnswer> {
  const { interaction } = requireAcknowledged(call);
  const place = await channelAccessOfApplication(call, interaction);
  const id = key === '@original' ? interaction.originalMessageId : key;
  if (id === null) throw new DomainError('UNKNOWN_MESSAGE');
  const message = await loadMessage(call, place, id, { kind: 'application', applicationId: interaction.applicationId });
  if (!isAnswerTo(message, interaction)) throw new DomainError('UNKNOWN_MESSAGE');
  return { interaction, place, message };
}

function isAnswerTo({ id, applicationId, interaction: answered }: MessageRecord, interaction: Interaction): boolean {
  if (id === interaction.originalMessageId) return true;
  return applicationId === interaction.applicationId && answered?.id === String(interaction.id);
}

interface AnswerEdit extends Pick<Edit, 'files' | 'isFillingIn'> {
  key: AnswerKey;
  edit: MessageEdit;
}

/**
 * Completes a deferred answer.
 * @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE, and the errors of `applyEdit`
 */
export async function editAnswer(call: CallContext, { key, edit, ...more }: AnswerEdit): Promise<MessageRecord> {
  const { interaction, place, message } = await findAnswer(call, key);
  const edited = await applyEdit(call, message, { ...more, place, body: edit, asAuthor: true });
  await addRepeatableStep(call, interaction, { kind: 'EDIT', response: `message ${message.id}` });
  return edited;
}

/** @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE */
export async function deleteAnswer(call: CallContext, key: AnswerKey): Promise<void> {
  const { interaction, place, message } = await findAnswer(call, key);
  await removeMessage(call, place, message);
  await addRepeatableStep(call, interaction, { kind: 'DELETE', response: `message ${message.id}` });
}

/** @throws UNKNOWN_WEBHOOK before the first answer, and for autocomplete */
function requireAcknowledged(call: CallContext) {
  const actor = requireInteraction(call);
  const { interaction } = actor;
  const isAutocompletion = interaction.type === InteractionType.ApplicationCommandAutocomplete;
  if (isAutocompletion || !isAcknowledged(interaction, call.clock.now())) throw new DomainError('UNKNOWN_WEBHOOK');
  return actor;
}
