import type { APIAttachment, APIMessageTopLevelComponent, APIUnfurledMediaItem } from 'discord-api-types/v10';
import { attachmentNameIn } from '../domain/messages/index.js';

/** The files of a message, by `attachment://name` and by their earlier URL without its query. */
export class ShownFiles {
  readonly #byAddress = new Map<string, APIAttachment>();
  readonly #byName = new Map<string, APIAttachment>();

  /** @param messageId stands for the missing id of external media */
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

/** Adds URLs and metadata to the media in stored components. */
export function renderComponents(stored: unknown, files: ShownFiles): APIMessageTopLevelComponent[] {
  // The domain validated the stored components.
  return Array.isArray(stored)
    ? (stored.map((component) => withMedia(component, files)) as APIMessageTopLevelComponent[])
    : [];
}

function withMedia(value: unknown, files: ShownFiles): unknown {
  if (Array.isArray(value)) return value.map((item) => withMedia(item, files));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => rendered(name, member, files)));
}

/** A property of a component. Files also get their name and size. */
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

/** Includes a field of the reference platform that `discord-api-types` lacks. */
type WireMedia = APIUnfurledMediaItem & { id?: string };

/** An attachment of the message, or an external file (Discord's documentation, Unfurled Media Item). */
function renderMedia(address: string, file: APIAttachment | undefined, messageId: string): WireMedia {
  if (!file) return { id: messageId, url: address, proxy_url: address };
  const { id, url, proxy_url, width, height, content_type } = file;
  return { id, url, proxy_url, attachment_id: id, width, height, content_type };
}
