import type { Reader } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import { interactionFileKey } from '../interactions/files.js';
import { safeFilename } from '../messages/files/filenames.js';
import { attachmentKey, STORED_ATTACHMENT, type StoredAttachment } from '../messages/files/files.js';
import { byId, type ExportEntry, type ExportSource, fileEntry, linesEntry, pagesOf, ROWS_PER_PAGE } from './entries.js';

/** Messages of the person by channel, each channel followed by its files. */
export async function* messageEntries(source: ExportSource, missing: string[]): AsyncGenerator<ExportEntry> {
  for (const [channelId, ids] of await messageIds(source)) {
    const files: NamedFile[] = [];
    yield linesEntry(`messages/${channelId}.jsonl`, messagesIn(source, { channelId, ids, files }));
    for (const file of files) {
      const path = pathOf(channelId, file);
      const entry = await fileEntry(source.blobs, path, attachmentKey(channelId, file));
      if (entry) yield entry;
      else missing.push(path);
    }
  }
}

/**
 * Ids by channel, oldest first. There is no index by author and channel. Reading the ids first takes 8 bytes for each
 * message, and makes the work independent of the number of channels.
 */
async function messageIds({ read, userId }: ExportSource): Promise<Map<bigint, IdList>> {
  const channels = new Map<bigint, IdList>();
  const pages = pagesOf((last: { id: bigint; channelId: bigint } | undefined) => {
    const { where, ...page } = byId(last);
    return read.message.findMany({ where: { authorId: userId, ...where }, ...page, select: ID_AND_CHANNEL });
  });
  for await (const page of pages) {
    for (const { id, channelId } of page) {
      const ids = channels.get(channelId) ?? new IdList();
      channels.set(channelId, ids);
      ids.add(id);
    }
  }
  return channels;
}

const ID_AND_CHANNEL = { id: true, channelId: true } as const;

class IdList {
  #ids = new BigInt64Array(8);
  #length = 0;

  add(id: bigint): void {
    if (this.#length === this.#ids.length) {
      const larger = new BigInt64Array(2 * this.#length);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#length] = id;
    this.#length += 1;
  }

  *pages(): Generator<bigint[]> {
    for (let start = 0; start < this.#length; start += ROWS_PER_PAGE) {
      yield [...this.#ids.subarray(start, Math.min(start + ROWS_PER_PAGE, this.#length))];
    }
  }
}

type NamedFile = StoredAttachment & { filename: string };

interface Channel {
  channelId: bigint;
  ids: IdList;
  /** Receives the files of the messages. */
  files: NamedFile[];
}

async function* messagesIn({ read, userId }: ExportSource, { channelId, ids, files }: Channel) {
  const place = await placeOf(read, channelId);
  for (const page of ids.pages()) {
    const messages = await read.message.findMany({
      where: { id: { in: page }, authorId: userId },
      orderBy: { id: 'asc' },
      select: MESSAGE,
    });
    files.push(...messages.flatMap(({ attachments }) => attachments));
    yield messages.map(({ attachments, ...message }) => ({
      ...message,
      createdAt: new Date(snowflakeTime(message.id)),
      ...place,
      attachments: attachments.map(({ messageId: _message, folderId: _folder, ...file }) => ({
        ...file,
        path: pathOf(channelId, file),
      })),
    }));
  }
}

const MESSAGE = {
  id: true,
  type: true,
  content: true,
  editedAt: true,
  flags: true,
  tts: true,
  pinned: true,
  embeds: true,
  components: true,
  mentionUserIds: true,
  mentionRoleIds: true,
  mentionEveryone: true,
  referenceId: true,
  referenceChannelId: true,
  visibleToId: true,
  applicationId: true,
  attachments: {
    orderBy: { id: 'asc' },
    select: {
      ...STORED_ATTACHMENT,
      filename: true,
      title: true,
      description: true,
      isSpoiler: true,
      contentType: true,
      size: true,
      width: true,
      height: true,
    },
  },
} as const;

/** The server is null for a direct channel. */
async function placeOf(read: Pick<Reader, 'channel'>, channelId: bigint) {
  const channel = await read.channel.findUnique({
    where: { id: channelId },
    select: { name: true, guild: { select: { id: true, name: true } } },
  });
  return { channel: { id: channelId, name: channel?.name ?? '' }, server: channel?.guild ?? null };
}

function pathOf(channelId: bigint, { id, filename }: { id: bigint; filename: string }): string {
  return `files/${channelId}/${nameIn({ id, filename })}`;
}

/** Fewer than the 255 bytes that most file systems allow in a name. */
const MAX_NAME_BYTES = 240;

/** A longer name keeps its end, which holds the extension. */
function nameIn({ id, filename }: { id: bigint; filename: string }): string {
  const letters = [...safeFilename(filename)];
  while (Buffer.byteLength(`${id}-${letters.join('')}`) > MAX_NAME_BYTES) letters.shift();
  return `${id}-${letters.join('')}`;
}

/** Files that the person sent with commands and modals. */
export async function* givenFileEntries(
  { read, blobs, userId }: ExportSource,
  missing: string[],
): AsyncGenerator<ExportEntry> {
  const pages = pagesOf((last: { id: bigint; interactionId: bigint; filename: string } | undefined) => {
    const { where, ...page } = byId(last);
    const select = { id: true, interactionId: true, filename: true } as const;
    return read.interactionFile.findMany({ where: { accountId: userId, ...where }, ...page, select });
  });
  for await (const page of pages) {
    for (const file of page) {
      const path = `files/interactions/${file.interactionId}/${nameIn(file)}`;
      const entry = await fileEntry(blobs, path, interactionFileKey(file));
      if (entry) yield entry;
      else missing.push(path);
    }
  }
}
