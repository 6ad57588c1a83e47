import type { APIAttachment, APIMessageTopLevelComponent, APIUnfurledMediaItem } from 'discord-api-types/v10';
import { attachmentNameIn } from '../domain/messages/index.js';

/** The files of a message by what stands for them: the address where one was shown before, without its query, and `attachment://name`. */
export class ShownFiles {
  readonly #byAddress = new Map<string, APIAttachment>();
  readonly #byName = new Map<string, APIAttachment>();

  /** @param messageId what pictures from elsewhere are known by, which have no id of their own */
  constructor(
    readonly messageId: string,
    attachments: readonly APIAttachment[],
  ) {
    for (const attachment of attachments) {
      this.#byName.set(attachment.filename, attachment);
      this.#byAddress.set(withoutQuery(attachment.url), attachment);
    }
  }

  at(url: string): APIAttachment | undefined {
    const name = attachmentNameIn(url);
    return name === undefined ? this.#byAddress.get(withoutQuery(url)) : this.#byName.get(name);
  }
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** A message's components, as they are stored, with what is known of the pictures and other files they show. */
export function renderComponents(stored: unknown, files: ShownFiles): APIMessageTopLevelComponent[] {
  // Stored by the domain, as it parsed them.
  return Array.isArray(stored)
    ? (stored.map((component) => withMedia(component, files)) as APIMessageTopLevelComponent[])
    : [];
}

/** The value with everything in it that shows a file. */
function withMedia(value: unknown, files: ShownFiles): unknown {
  if (Array.isArray(value)) return value.map((item) => withMedia(item, files));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => rendered(name, member, files)));
}

/** A member of a component, and what is shown beside it. */
function rendered(name: string, member: unknown, files: ShownFiles): [string, unknown][] {
  const url = name === 'media' || name === 'file' ? urlIn(member) : undefined;
  if (url === undefined) return [[name, withMedia(member, files)]];
  const file = files.at(url);
  const beside: [string, unknown][] =
    name === 'file' && file
      ? [
          ['name', file.filename],
          ['size', file.size],
        ]
      : [];
  return [[name, renderMedia(url, file, files.messageId)], ...beside];
}

function urlIn(media: unknown): string | undefined {
  if (typeof media !== 'object' || media === null || !('url' in media)) return undefined;
  return typeof media.url === 'string' ? media.url : undefined;
}

/** The reference sends an id, which its types leave out. */
type WireMedia = APIUnfurledMediaItem & { id?: string };

/** A picture or another file (Discord's documentation, Unfurled Media Item): one of the message's own, or anywhere else. */
function renderMedia(address: string, file: APIAttachment | undefined, messageId: string): WireMedia {
  if (!file) return { id: messageId, url: address, proxy_url: address };
  const { id, url, proxy_url, width, height, content_type } = file;
  return { id, url, proxy_url, attachment_id: id, width, height, content_type };
}
