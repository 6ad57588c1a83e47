import type { Interaction, Prisma } from '../../../infra/database/index.js';
import { topics } from '../../../infra/streams/topics.js';
import type { CallContext } from '../../call.js';
import { guildIdOf } from '../../channels/access.js';
import type { IntegrationOwners } from '../../command-permissions/record.js';
import { unlessStored } from '../../messages/files/files.js';
import { discardFilesOf, keepFilesOf } from '../files.js';
import type { FileShown, InteractionRequest } from '../requests/request.js';
import { makeInteractionToken } from '../responses/tokens.js';
import { ANSWER_WINDOW_MS } from '../states.js';
import { updated } from '../transitions.js';

/** Longer than all delivery attempts, so it applies only if the delivering process ends. */
const DELIVERY_MS = 3 * ANSWER_WINDOW_MS;

/** Only the token's hash is stored. */
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
  const streams = [topics.application(request.application.id)];
  const store = () => call.writeOne((db) => db.interaction.create({ data }), { streams, event: (row) => updated(row) });
  const interaction = files.length === 0 ? await store() : await unlessStored(store, () => discardFilesOf(call, id));
  return { interaction, token };
}

/** Omits fields that are not read later. */
function rowOf({ file: { title: _title, isSpoiler: _isSpoiler, ...row } }: FileShown) {
  return row;
}

function ownersColumn({ guildId, userId }: IntegrationOwners): Prisma.InputJsonObject {
  return {
    ...(guildId === undefined ? {} : { guildId: String(guildId) }),
    ...(userId === undefined ? {} : { userId: String(userId) }),
  };
}

/** In characters of JSON. Equals the limit of a logged step. */
const MAX_STORED_DATA = 4_000;

/** Omits the user's values if `data` is too long, since options may take hundreds of kilobytes. */
function storedData(data: InteractionRequest['data']): Prisma.InteractionUncheckedCreateInput['data'] {
  if (JSON.stringify(data).length <= MAX_STORED_DATA) return data;
  const facts = Object.entries(data).filter(([name]) => !TYPED.has(name));
  return Object.fromEntries(facts);
}

const TYPED: ReadonlySet<string> = new Set(['options', 'components', 'values', 'resolved']);
