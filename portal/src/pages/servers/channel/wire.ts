import { fieldsOf, listOf, numberOf, textOf, webAddress } from '../json.js';

export interface Attachment {
  id: string;
  name: string;
  url: string;
  description: string;
  isPicture: boolean;
  isSpoiler: boolean;
  bytes: number;
}

export function attachmentsOf(value: unknown): Attachment[] {
  return listOf(value).flatMap((one) => {
    const [id, url] = [textOf(one.id), webAddress(one.url)];
    if (!id || !url) return [];
    return {
      id,
      url,
      name: nameOfFile(textOf(one.filename) ?? 'file', textOf(one.title)),
      description: textOf(one.description) ?? '',
      isPicture: (textOf(one.content_type) ?? '').startsWith('image/'),
      isSpoiler: ((numberOf(one.flags) ?? 0) & IS_SPOILER) !== 0,
      bytes: numberOf(one.size) ?? 0,
    };
  });
}

/** Discord's documentation, Message Resource. */
const IS_SPOILER = 1 << 3;

/** Titles have no extension. */
function nameOfFile(filename: string, title: string | undefined): string {
  const extension = /\.[^.]*$/.exec(filename)?.[0] ?? '';
  return title ? `${title}${extension}` : filename;
}

export interface Embed {
  title: string | undefined;
  url: string | undefined;
  author: string | undefined;
  description: string | undefined;
  fields: { name: string; value: string }[];
  image: string | undefined;
  footer: string | undefined;
  /** RGB value. */
  color: number | undefined;
}

export function embedsOf(value: unknown): Embed[] {
  return listOf(value).map((one) => ({
    title: textOf(one.title),
    url: webAddress(one.url),
    author: textOf(fieldsOf(one.author).name),
    description: textOf(one.description),
    fields: listOf(one.fields).map(({ name, value }) => ({ name: textOf(name) ?? '', value: textOf(value) ?? '' })),
    image: webAddress(fieldsOf(one.image).url),
    footer: textOf(fieldsOf(one.footer).text),
    color: numberOf(one.color),
  }));
}

export interface Reaction {
  /** Unicode emoji, or `name:id`. */
  emoji: string;
  text: string;
  count: number;
  isMine: boolean;
}

export function reactionsOf(value: unknown): Reaction[] {
  return listOf(value).map((one) => {
    const { id, name } = fieldsOf(one.emoji);
    const [number, text] = [textOf(id), textOf(name) ?? '?'];
    return {
      emoji: number ? `${text}:${number}` : text,
      text: number ? `:${text}:` : text,
      count: numberOf(one.count) ?? 0,
      isMine: one.me === true,
    };
  });
}

/** Effect of a channel event on the page. */
export type ChannelNews =
  | { kind: 'message'; id: string }
  | { kind: 'gone'; ids: string[] }
  | { kind: 'typing'; userId: string; name: string }
  | { kind: 'none' };

export function newsOf(type: string, value: unknown): ChannelNews {
  const data = fieldsOf(value);
  if (type === 'MESSAGE_DELETE') return { kind: 'gone', ids: [textOf(data.id) ?? ''] };
  if (type === 'MESSAGE_DELETE_BULK') return { kind: 'gone', ids: idsOf(data.ids) };
  if (type === 'TYPING_START') return { kind: 'typing', userId: textOf(data.user_id) ?? '', name: nameOf(data.member) };
  const id = textOf(type.startsWith('MESSAGE_REACTION') ? data.message_id : data.id);
  return type.startsWith('MESSAGE_') && id ? { kind: 'message', id } : { kind: 'none' };
}

function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function nameOf(member: unknown): string {
  const { nick, user } = fieldsOf(member);
  const { global_name, username } = fieldsOf(user);
  return textOf(nick) ?? textOf(global_name) ?? textOf(username) ?? 'Someone';
}
