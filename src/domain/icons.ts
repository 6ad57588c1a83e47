import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStore } from '../infra/blobs.js';
import {
  coverImage,
  IMAGE_FORMATS,
  type ImageFormat,
  type KeptImage,
  squareImage,
  TooManyImages,
} from '../infra/images.js';
import type { CallContext } from './call.js';
import { DomainError, invalidInput, TRY_AGAIN_MS } from './errors.js';
import { idIn, type KeptFiles } from './kept-files.js';
import { ICONS_PER_PERSON, limits } from './limits.js';
import { takeLimit } from './rate-limits.js';

/** As long as the reference platform's hashes: 32 hexadecimal digits. */
const HASH_BYTES = 16;

/** Whose icon it is: an application's, which is also its bot's avatar until that has another, a team's or a guild's, or a user's avatar. */
export interface IconOwner {
  folder: 'app-icons' | 'team-icons' | 'guild-icons' | 'avatars';
  id: bigint;
}

/** The bytes of a PNG, JPEG, GIF or WebP image, or where to get them once it is known that they may be kept. */
export type IconSource = Buffer | (() => Promise<Buffer>);

/** What an icon may be instead of a square one. */
interface IconKind {
  /** The field at which it is refused. */
  field: string;
  fit(content: Buffer): Promise<KeptImage | null>;
}

const SQUARE: IconKind = { field: 'icon', fit: squareImage };

/** A picture of an application with its own proportions, which is kept beside its icon. */
export const COVER: IconKind = { field: 'cover', fit: coverImage };

/** Where one form of an icon is kept. */
function iconKey({ folder, id }: IconOwner, hash: string, format: ImageFormat): string {
  return `${folder}/${id}/${hash}.${format}`;
}

/**
 * Checks an image and keeps it as an icon of its owner, which shows it once its row names the hash.
 * @returns the hash: one of its own for every upload, so that removing an old icon never takes a new one along
 * @throws INVALID_INPUT at `icon`, or where its kind says, RATE_LIMITED, OVERLOADED, and what `icon` throws
 */
export async function keepIcon(
  call: CallContext,
  owner: IconOwner,
  icon: IconSource,
  { field, fit } = SQUARE,
): Promise<string> {
  await limitImages(call);
  const content = typeof icon === 'function' ? await icon() : icon;
  if (content.length > limits.iconSize) {
    const message = `File cannot be larger than ${limits.iconSize / 1024} kb.`;
    throw invalidInput({ path: field, code: 'BINARY_TYPE_MAX_SIZE', message });
  }
  const image = await fit(content).catch(tooManyImages);
  if (!image) {
    const message = 'Must be a PNG, JPEG, GIF or WebP image of at most 16 million pixels, and 8,192 on each side.';
    throw invalidInput({ path: field, code: 'IMAGE_INVALID', message });
  }
  const hash = randomBytes(HASH_BYTES).toString('hex');
  await Promise.all(
    IMAGE_FORMATS.map(async (format) => {
      const blob = await call.blobs.stage(Readable.from([image[format]]));
      await blob.keep(iconKey(owner, hash, format));
    }),
  );
  return hash;
}

/** What somebody wants their icon to be: null for none, undefined for the one there is. */
type WantedIcon = IconSource | null | undefined;

/**
 * Makes a change with which an owner may get another icon: the new one is kept before, and whichever of the two nobody shows any more is
 * removed after it.
 * @param change stores the hash of the wanted icon; null for none, undefined for the one there is
 * @param hashOf the icon of the row that `change` answers
 * @returns the row as it is then
 * @throws what {@link keepIcon} and `change` throw
 */
export async function changeWithIcon<Row>(
  call: CallContext,
  owner: IconOwner,
  icon: WantedIcon,
  change: ChangeOfIcon<Row>,
  hashOf: (row: Row) => string | null,
): Promise<Row> {
  const { after } = await replaceIcon(call, owner, icon, change, hashOf);
  return after;
}

/** A change of a row by what becomes of the hash of its icon. */
type ChangeOfIcon<Row> = (hash: string | null | undefined) => Promise<{ before: Row; after: Row }>;

/** As {@link changeWithIcon}, with the row as it was before: so that one change may be within another. */
export async function replaceIcon<Row>(
  call: CallContext,
  owner: IconOwner,
  icon: WantedIcon,
  change: ChangeOfIcon<Row>,
  hashOf: (row: Row) => string | null,
  kind = SQUARE,
): Promise<{ before: Row; after: Row }> {
  const hash = icon ? await keepIcon(call, owner, icon, kind) : icon;
  try {
    const { before, after } = await change(hash);
    const old = hashOf(before);
    if (old && old !== hashOf(after)) await dropIcon(call, owner, old);
    return { before, after };
  } catch (error) {
    if (hash) await dropIcon(call, owner, hash);
    throw error;
  }
}

/** Refuses an image for which there was no room; anything else that was thrown is thrown on. @throws OVERLOADED */
export function tooManyImages(error: unknown): never {
  if (!(error instanceof TooManyImages)) throw error;
  const message = 'Too many images are being uploaded at the moment; try again soon.';
  throw new DomainError('OVERLOADED', message, { retryAfterMs: TRY_AGAIN_MS, cause: error });
}

/** Counts an image that a person uploads. @throws RATE_LIMITED */
export async function limitImages(call: CallContext): Promise<void> {
  const { actor } = call;
  if (actor.kind !== 'person') return;
  await takeLimit(call, ICONS_PER_PERSON, String(actor.user.id), () => 'Too many icons; try again in a moment.');
}

/**
 * Removes an icon's files unless its owner shows it (again). Files that stay behind because the disk refused are no
 * reason to fail.
 */
export async function dropIcon(call: CallContext, owner: IconOwner, hash: string): Promise<void> {
  try {
    if (await isShown(call, owner, hash)) return;
    await Promise.all(IMAGE_FORMATS.map((format) => call.blobs.remove(iconKey(owner, hash, format))));
  } catch (error) {
    const of = `${owner.folder}/${owner.id}`;
    call.log.warn({ err: error, of }, 'an icon that is not shown any more stayed behind');
  }
}

async function isShown({ read }: CallContext, { folder, id }: IconOwner, iconHash: string): Promise<boolean> {
  const where = { id, iconHash };
  switch (folder) {
    case 'app-icons':
      return (await read.application.findFirst({ where: { id, ...showing(iconHash) }, select: { id: true } })) !== null;
    case 'team-icons':
      return (await read.team.findFirst({ where, select: { id: true } })) !== null;
    case 'guild-icons':
      return (await read.guild.findFirst({ where, select: { id: true } })) !== null;
    case 'avatars':
      return (await read.user.findFirst({ where: { id, avatarHash: iconHash }, select: { id: true } })) !== null;
  }
}

/** Applications that show a picture as icon or as cover. */
const showing = (hash: string | { not: null }) => ({ OR: [{ iconHash: hash }, { coverHash: hash }] });

/** The file of an icon, or null when there is none. `size` is in bytes. */
export async function findIcon(
  blobs: BlobStore,
  input: { owner: IconOwner; hash: string; format: ImageFormat },
): Promise<{ key: string; size: number } | null> {
  const key = iconKey(input.owner, input.hash, input.format);
  const size = await blobs.size(key);
  return size === null ? null : { key, size };
}

/** Under which names icons are served, and what stands there: a bot's avatar is its application's icon until it has another. */
export const ICON_FOLDERS = {
  'app-icons': ['app-icons'],
  avatars: ['avatars', 'app-icons'],
  'team-icons': ['team-icons'],
  icons: ['guild-icons'],
} as const satisfies Record<string, readonly IconOwner['folder'][]>;

export type IconName = keyof typeof ICON_FOLDERS;

/** The file of an icon under the name that it is served by; null where there is none. */
export async function findServedIcon(
  blobs: BlobStore,
  { of, id, ...icon }: { of: IconName; id: bigint; hash: string; format: ImageFormat },
): ReturnType<typeof findIcon> {
  for (const folder of ICON_FOLDERS[of]) {
    const found = await findIcon(blobs, { owner: { folder, id }, ...icon });
    if (found) return found;
  }
  return null;
}

/** The files of applications' icons and covers, for who looks through what is kept. */
export const applicationIcons: KeptFiles = {
  folder: 'app-icons',
  knowsAny: async ({ application }) =>
    (await application.findFirst({ where: showing({ not: null }), select: { id: true } })) !== null,
  withRow: async ({ application }, keys) =>
    shownOf(keys, async (ids) => {
      const select = { ...ID_AND_ICON, coverHash: true };
      const owners = await application.findMany({ where: { id: { in: ids } }, select });
      return owners.flatMap(({ id, iconHash, coverHash }) => [
        { id, iconHash },
        { id, iconHash: coverHash },
      ]);
    }),
};

/** The files of teams' icons. */
export const teamIcons: KeptFiles = {
  folder: 'team-icons',
  knowsAny: async ({ team }) => (await team.findFirst({ where: WITH_ICON, select: { id: true } })) !== null,
  withRow: async ({ team }, keys) =>
    shownOf(keys, (ids) => team.findMany({ where: { id: { in: ids } }, select: ID_AND_ICON })),
};

/** The files of guilds' icons. */
export const guildIcons: KeptFiles = {
  folder: 'guild-icons',
  knowsAny: async ({ guild }) => (await guild.findFirst({ where: WITH_ICON, select: { id: true } })) !== null,
  withRow: async ({ guild }, keys) =>
    shownOf(keys, (ids) => guild.findMany({ where: { id: { in: ids } }, select: ID_AND_ICON })),
};

/** The files of users' avatars. */
export const userAvatars: KeptFiles = {
  folder: 'avatars',
  knowsAny: async ({ user }) =>
    (await user.findFirst({ where: { avatarHash: { not: null } }, select: { id: true } })) !== null,
  withRow: async ({ user }, keys) =>
    shownOf(keys, async (ids) => {
      const users = await user.findMany({ where: { id: { in: ids } }, select: { id: true, avatarHash: true } });
      return users.map(({ id, avatarHash: iconHash }) => ({ id, iconHash }));
    }),
};

const WITH_ICON = { iconHash: { not: null } };
const ID_AND_ICON = { id: true, iconHash: true } as const;

/** The keys whose owner shows the icon, and those that are no icon's. */
async function shownOf(
  keys: string[],
  findOwners: (ids: bigint[]) => Promise<{ id: bigint; iconHash: string | null }[]>,
): Promise<string[]> {
  const icons = keys.map((key) => {
    const [, id, hash] = /^[a-z-]+\/(\d+)\/([0-9a-f]+)\.[a-z]+$/.exec(key) ?? [];
    return { key, id: idIn(id), hash };
  });
  const owners = await findOwners([...new Set(icons.map(({ id }) => id))]);
  const shown = new Set(owners.map(({ id, iconHash }) => `${id} ${iconHash}`));
  return icons.filter(({ id, hash }) => id < 0n || shown.has(`${id} ${hash}`)).map(({ key }) => key);
}
