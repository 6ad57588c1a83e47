import { Readable } from 'node:stream';
import { InteractionResponseType, InteractionType, MessageType } from 'discord-api-types/v10';
import type { Interaction, User } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { type ChannelAccess, guildIdOf, requireText } from '../channels/access.js';
import { DomainError, invalidInput } from '../errors.js';
import { accessChannel } from '../guilds/access.js';
import type { InvokedOption } from '../interactions/requests/input.js';
import { readOptions } from '../interactions/requests/options.js';
import { requireFaultless, unknownOf, type Wanted } from '../interactions/requests/reading.js';
import type { GivenParameter } from '../interactions/requests/request.js';
import { messageInteraction } from '../interactions/responses/metadata.js';
import { messageContent } from '../messages/content/body.js';
import type { UploadedFile } from '../messages/files/files.js';
import { postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';
import { takeTurnOfCaller } from '../messages/slow-mode.js';
import { asPlatform, findPlatformBot, PLATFORM_ID } from '../platform/platform.js';
import { shownByIds } from '../users/shown-by-id.js';
import { type BuiltInAnswer, type BuiltInCommand, Given } from './command.js';
import { findBuiltIn, isOfClient } from './table.js';

export interface InvokedBuiltIn {
  channelId: bigint;
  /** In any case. */
  name: string;
  options: readonly InvokedOption[];
}

/**
 * Runs a command with the caller's permissions. The platform's bot sends the answer. A refused command stores nothing.
 * @throws SLOW_MODE, UNKNOWN_COMMAND, INVALID_INPUT (at `options`, or at `name` for a client-side command),
 * WRONG_CHANNEL_TYPE, and the errors of `accessChannel` and the command
 */
export async function invokeBuiltIn(call: CallContext, input: InvokedBuiltIn): Promise<Interaction> {
  const { user: caller } = requirePerson(call);
  const name = input.name.trim().toLowerCase();
  if (!call.hasBuiltIns) throw new DomainError('UNKNOWN_COMMAND');
  const command = findBuiltIn(name);
  if (!command) throw isOfClient(name) ? forTheClient(name) : new DomainError('UNKNOWN_COMMAND');
  const place = await accessCommandChannel(call, input.channelId, command);
  const read = readOptions([...command.options], input.options, 'run');
  requireFaultless(read);
  const users = await findNamed(call, place, read.wanted);
  const given = new Given(read.options as GivenParameter[], users);
  const answer = await command.run({ call, caller, place, given });
  return answerWith(call, { name, place, caller, answer, options: read.options as GivenParameter[] });
}

/** Direct channels need no permission. */
async function accessCommandChannel(
  call: CallContext,
  channelId: bigint,
  { needs = [] }: BuiltInCommand,
): Promise<ChannelAccess> {
  const isDirect = (await call.guilds.guildOfChannel(channelId)) === null;
  const place = await accessChannel(call, channelId, isDirect ? 'viewChannel' : 'useCommands', ...needs);
  requireText(place);
  return place;
}

function forTheClient(name: string): DomainError {
  const message = `Clients run "${name}" themselves. Send a message instead.`;
  return invalidInput({ path: 'name', code: 'BASE_TYPE_CHOICES', message });
}

/** @throws INVALID_INPUT for unknown users and for channels outside the guild */
async function findNamed(
  call: CallContext,
  place: ChannelAccess,
  wanted: readonly Wanted[],
): Promise<Map<bigint, User>> {
  const ids = wanted.filter(({ kind }) => kind === 'user').map(({ id }) => id);
  const [users, view] = await Promise.all([
    ids.length === 0 ? [] : call.read.user.findMany({ where: { id: { in: ids }, deletedAt: null } }),
    place.kind === 'guild' ? call.guilds.view(place.guildId) : null,
  ]);
  const shown = await shownByIds(call, users, place.kind === 'direct' ? place.recipientIds : []);
  const known = new Map(shown.map((user) => [user.id, user]));
  const isKnown = ({ kind, id }: Wanted) => (kind === 'user' ? known.has(id) : (view?.channels.has(id) ?? false));
  const faults = wanted.filter((one) => !isKnown(one)).map(({ kind, path }) => ({ path, ...unknownOf(kind) }));
  if (faults.length > 0) throw invalidInput(...faults);
  return known;
}

interface Answered {
  name: string;
  place: ChannelAccess;
  caller: User;
  answer: BuiltInAnswer;
  options: GivenParameter[];
}

/** A public answer counts towards the caller's slow mode. */
async function answerWith(call: CallContext, answered: Answered): Promise<Interaction> {
  const { name, place, caller, options } = answered;
  const id = call.nextId();
  const messageId = call.nextId();
  const guildId = guildIdOf(place);
  const { isPrivate } = answered.answer;
  const data = {
    id,
    applicationId: PLATFORM_ID,
    type: InteractionType.ApplicationCommand,
    tokenHash: '',
    userId: caller.id,
    guildId,
    channelId: place.channelId,
    name,
    data: { name, type: 1, ...(options.length === 0 ? {} : { options }) },
    owners: guildId === null ? { userId: String(caller.id) } : { guildId: String(guildId) },
    ephemeralOnly: isPrivate,
    state: 'ANSWERED',
    callbackType: InteractionResponseType.ChannelMessageWithSource,
    originalMessageId: messageId,
  } as const;
  const interaction = await call.write(async ({ db }) => {
    if (!isPrivate) await takeTurnOfCaller(call, db, place);
    return db.interaction.create({ data });
  });
  const message = await post(call, answered, interaction, messageId);
  return { ...interaction, originalMessageId: message.id };
}

async function post(
  call: CallContext,
  { place, caller, answer }: Answered,
  interaction: Interaction,
  id: bigint,
): Promise<MessageRecord> {
  const { content = '', embeds, picture, isPrivate, mentions = {} } = answer;
  const files = picture ? [await pictureFile(call, picture)] : [];
  const author = await findPlatformBot(call);
  const shown = await messageInteraction(call, interaction, false);
  const store = () =>
    postMessage(call, {
      wantedId: id,
      onOtherId: (db, other) =>
        db.interaction.updateMany({ where: { id: interaction.id }, data: { originalMessageId: other } }),
      author,
      place: asPlatform(place),
      body: { content: messageContent.parse(content), embeds, allowedMentions: mentions },
      files,
      kind: MessageType.ChatInputCommand,
      applicationId: PLATFORM_ID,
      interaction: shown,
      ...(isPrivate ? { visibleToId: caller.id } : {}),
    });
  return store().finally(() => Promise.all(files.map(({ blob }) => blob.discard())));
}

async function pictureFile(
  { blobs }: CallContext,
  { filename, png }: NonNullable<BuiltInAnswer['picture']>,
): Promise<UploadedFile> {
  return { blob: await blobs.stage(Readable.from([png])), filename, contentType: 'image/png', index: 0 };
}
