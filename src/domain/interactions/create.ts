import type { Interaction, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { guildIdOf } from '../channels/place.js';
import type { IntegrationOwners } from '../command-permissions/record.js';
import { unlessStored } from '../messages/files.js';
import { discardFilesOf, keepFilesOf } from './files.js';
import type { FileShown, InteractionRequest } from './request.js';
import { ANSWER_WINDOW_MS } from './states.js';
import { makeInteractionToken } from './tokens.js';
import { updated } from './transitions.js';

/** Longer than all attempts to deliver it, in milliseconds: who delivers it says what became of it, unless they are no more. */
const DELIVERY_MS = 3 * ANSWER_WINDOW_MS;

/**
 * Stores what somebody asked for, with the files they gave, to be delivered.
 * @returns the row, and its token, which is kept nowhere
 */
export async function createInteraction(
  call: CallContext,
  request: InteractionRequest,
): Promise<{ interaction: Interaction; token: string }> {
  const id = call.nextId();
  const { files } = request.resolved;
  const { token, hash } = makeInteractionToken(id);
  const data: Prisma.InteractionUncheckedCreateInput = {
    id,
    tokenHash: hash,
    applicationId: request.application.id,
    type: request.type,
    userId: request.user.id,
    guildId: guildIdOf(request.place),
    channelId: request.place.channelId,
    name: request.name,
    commandId: request.commandId,
    messageId: request.message?.id ?? null,
    parentId: request.parentId,
    data: storedData(request.data),
    owners: ownersColumn(request.owners),
    ephemeralOnly: request.ephemeralOnly,
    endsAt: new Date(call.clock.now() + DELIVERY_MS),
    ...(files.length === 0
      ? {}
      : { files: { create: files.map((file) => ({ ...rowOf(file), accountId: request.user.id })) } }),
  };
  const sizes = files.map(({ file }) => file.size);
  if (files.length > 0) await call.fileQuota.take(request.user.id, sizes);
  await keepFilesOf(call, id, files);
  const store = () => call.writeOne((db) => db.interaction.create({ data }), updated);
  const interaction = files.length === 0 ? await store() : await unlessStored(store, () => discardFilesOf(call, id));
  return { interaction, token };
}

/** What the row of a given file keeps: its address is all that is read of it later. */
function rowOf({ file: { title: _title, isSpoiler: _isSpoiler, ...row } }: FileShown) {
  return row;
}

function ownersColumn({ guildId, userId }: IntegrationOwners): Prisma.InputJsonObject {
  return {
    ...(guildId === undefined ? {} : { guildId: String(guildId) }),
    ...(userId === undefined ? {} : { userId: String(userId) }),
  };
}

/** The longest `data` that is stored whole, as JSON text in characters: as much as a step of the log shows. */
const MAX_STORED_DATA = 4_000;

/**
 * What is stored of the wire's `data`. A person may send hundreds of kilobytes of option values with each command; what is too long is
 * stored without the values that somebody typed or chose.
 */
function storedData(data: InteractionRequest['data']): Prisma.InteractionUncheckedCreateInput['data'] {
  if (JSON.stringify(data).length <= MAX_STORED_DATA) return data;
  const facts = Object.entries(data).filter(([name]) => !TYPED.has(name));
  return Object.fromEntries(facts);
}

/** What of `data` people type or choose, and what is shown along with that. */
const TYPED: ReadonlySet<string> = new Set(['options', 'components', 'values', 'resolved']);
