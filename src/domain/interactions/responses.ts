import type { Interaction } from '../../infra/database/index.js';
import { type CallContext, requireInteraction } from '../call.js';
import { DomainError } from '../errors.js';
import { applyEdit } from '../messages/apply-edit.js';
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
import { transition } from './transitions.js';

/** Which of an interaction's answers: the first, or a message by its id. */
export type AnswerKey = '@original' | bigint;

/** The most follow-ups where nobody but the person installed the application (Discord's documentation, Receiving and Responding). */
const FOLLOW_UPS_FOR_USER_INSTALL = 5;

/**
 * Sends a further answer. Right after a deferred one it takes the place of that.
 * @throws UNKNOWN_WEBHOOK before the first answer, TOO_MANY_FOLLOW_UPS, and what `postMessage` throws
 */
export async function createFollowUp(
  call: CallContext,
  { message, files }: { message: NewMessage; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { interaction } = requireAcknowledged(call);
  if (await endDeferral(call, interaction)) {
    return unlessRefused(
      () => editAnswer(call, { key: '@original', edit: asEdit(message), files }),
      () => deferAgain(call, interaction),
    );
  }
  await countFollowUp(call, interaction);
  return unlessRefused(
    () => postFollowUp(call, { message, files }),
    () => uncountFollowUp(call, interaction),
  );
}

/** Does `work`, and `undo` where that fails. */
async function unlessRefused<T>(work: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await undo();
    throw error;
  }
}

async function postFollowUp(
  call: CallContext,
  { message, files }: { message: NewMessage; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { interaction, application } = requireAcknowledged(call);
  const posted = await postAnswer(call, { interaction, application, message, files, id: null });
  await addRepeatableStep(call, interaction.id, { kind: 'FOLLOW_UP', response: `message ${posted.id}` });
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

/**
 * Edits one of the answers; a deferred one is an answer from then on.
 * @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE and what `applyEdit` throws
 */
export async function editAnswer(
  call: CallContext,
  { key, edit, files }: { key: AnswerKey; edit: MessageEdit; files: readonly UploadedFile[] },
): Promise<MessageRecord> {
  const { interaction } = requireAcknowledged(call);
  const message = await getAnswer(call, key);
  const place = await placeOfApplication(call, interaction);
  const edited = await applyEdit(call, message, { place, body: edit, files, asAuthor: true });
  await endDeferral(call, interaction);
  await addRepeatableStep(call, interaction.id, { kind: 'EDIT', response: `message ${message.id}` });
  return edited;
}

/** Removes one of the answers for good. @throws UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE */
export async function deleteAnswer(call: CallContext, key: AnswerKey): Promise<void> {
  const { interaction } = requireAcknowledged(call);
  const message = await getAnswer(call, key);
  await removeMessage(call, await placeOfApplication(call, interaction), message);
  await endDeferral(call, interaction);
  await addRepeatableStep(call, interaction.id, { kind: 'DELETE', response: `message ${message.id}` });
}

/** What was deferred, which has no other message yet, is answered: of several who do so at once, one does. @returns whether it was this one */
async function endDeferral(call: CallContext, interaction: Interaction): Promise<boolean> {
  if (interaction.state !== 'DEFERRED') return false;
  return transition(call, interaction, ['DEFERRED'], { state: 'ANSWERED', endsAt: null });
}

/** What was to take the place of the deferred answer was refused. */
async function deferAgain(call: CallContext, interaction: Interaction): Promise<void> {
  const { endsAt } = interaction;
  await transition(call, interaction, ['ANSWERED'], { state: 'DEFERRED', endsAt });
  if (endsAt) call.overdue.lookAt(endsAt.getTime());
}

/** The interaction whose token was shown. @throws UNKNOWN_WEBHOOK while nobody has answered it */
function requireAcknowledged(call: CallContext) {
  const actor = requireInteraction(call);
  if (!isAcknowledged(actor.interaction, call.clock.now())) throw new DomainError('UNKNOWN_WEBHOOK');
  return actor;
}
