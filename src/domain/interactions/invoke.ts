import { InteractionResponseType } from 'discord-api-types/v10';
import { Prisma } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { FILES_PER_PERSON } from '../limits.js';
import { type UploadedFile, unlessStored } from '../messages/files/files.js';
import { takeLimit } from '../rate-limits.js';
import { createInteraction } from './delivery/create.js';
import { deliverAndAwaitAnswer, deliverInteraction, deliverStored } from './delivery/deliver.js';
import type { InteractionRecord } from './record.js';
import { autocompleteRequest, commandRequest, type InvokedCommand } from './requests/command-requests.js';
import { componentRequest, type UsedComponent } from './requests/component-requests.js';
import { modalRequest, type SubmittedModal } from './requests/modal-requests.js';
import { stateAt, tokenEnd } from './states.js';

/**
 * Checks a command before its files are received.
 * @throws RATE_LIMITED, and the errors of `commandRequest`
 */
export async function requireInvoking(call: CallContext, input: InvokedCommand & { files: number }): Promise<void> {
  await commandRequest(call, input);
  await takeFiles(call);
}

/**
 * @returns the interaction after the delivery succeeded or failed
 * @throws the errors of `commandRequest`
 */
export async function invokeCommand(
  call: CallContext,
  input: InvokedCommand & { files?: readonly UploadedFile[] },
): Promise<InteractionRecord> {
  return deliverInteraction(call, await commandRequest(call, input));
}

/**
 * @returns the interaction after it was answered or failed
 * @throws the errors of `autocompleteRequest`
 */
export async function autocompleteCommand(
  call: CallContext,
  input: Omit<InvokedCommand, 'files' | 'targetId'>,
): Promise<InteractionRecord> {
  return deliverAndAwaitAnswer(call, await autocompleteRequest(call, input));
}

/** @throws the errors of `componentRequest` */
export async function useComponent(call: CallContext, input: UsedComponent): Promise<InteractionRecord> {
  return deliverInteraction(call, await componentRequest(call, input));
}

interface FilledModal extends Pick<SubmittedModal, 'components'> {
  /** The interaction that was answered with the modal. */
  interactionId: bigint;
}

/**
 * Checks a modal before its files are received.
 * @throws RATE_LIMITED, and the errors of {@link submitModal}
 */
export async function requireSubmitting(
  call: CallContext,
  { interactionId, ...input }: FilledModal & { files: number },
): Promise<void> {
  await modalRequest(call, { ...input, interaction: await findShown(call, interactionId) });
  await takeFiles(call);
}

/** Limits how fast a user can fill the disk. @throws RATE_LIMITED */
async function takeFiles(call: CallContext): Promise<void> {
  const { user } = requirePerson(call);
  await takeLimit(
    call,
    FILES_PER_PERSON,
    String(user.id),
    () => 'You are uploading files too fast. Try again in a moment.',
  );
}

/**
 * A modal can be submitted again only if its delivery failed.
 * @throws UNAUTHENTICATED, UNKNOWN_INTERACTION if the interaction shows the caller no modal, CONFLICT if it was already
 * submitted, and the errors of `modalRequest`
 */
export async function submitModal(
  call: CallContext,
  { interactionId, ...input }: FilledModal & { files?: readonly UploadedFile[] },
): Promise<InteractionRecord> {
  const shown = await findShown(call, interactionId);
  const request = await modalRequest(call, { ...input, interaction: shown });
  await takeModal(call, shown);
  const store = () => createInteraction(call, request);
  const stored = await unlessStored(store, () => giveModalBack(call, shown));
  const submitted = await deliverStored(call, { request, ...stored });
  if (stateAt(submitted, call.clock.now()) === 'FAILED') await giveModalBack(call, shown);
  return submitted;
}

/** @throws UNAUTHENTICATED, UNKNOWN_INTERACTION, CONFLICT */
async function findShown(call: CallContext, id: bigint): Promise<InteractionRecord> {
  const { user } = requirePerson(call);
  const shown = await call.read.interaction.findUnique({ where: { id, userId: user.id } });
  if (shown?.callbackType !== InteractionResponseType.Modal || call.clock.now() >= tokenEnd(id)) {
    throw new DomainError('UNKNOWN_INTERACTION');
  }
  if (shown.modal === null) throw alreadySent();
  return shown;
}

/** Of concurrent submissions, only one succeeds. @throws CONFLICT */
async function takeModal(call: CallContext, { id }: InteractionRecord): Promise<void> {
  const where = { id, modal: { not: Prisma.DbNull } };
  const { count } = await call.writeOne((db) => db.interaction.updateMany({ where, data: { modal: Prisma.DbNull } }));
  if (count === 0) throw alreadySent();
}

async function giveModalBack(call: CallContext, { id, modal }: InteractionRecord): Promise<void> {
  const data = { modal: modal ?? Prisma.DbNull };
  await call.writeOne((db) => db.interaction.updateMany({ where: { id }, data }));
}

function alreadySent(): DomainError {
  return new DomainError('CONFLICT', 'This modal was already submitted.');
}
