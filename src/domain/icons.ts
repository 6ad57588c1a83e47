import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { IMAGE_FORMATS, type ImageFormat, type Images, type KeptImage, TooManyImages } from '../infra/images.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import type { CallContext } from './call.js';
import { DomainError, invalidInput, TRY_AGAIN_MS } from './errors.js';
import { idIn, type KeptFiles } from './kept-files.js';
import { ICONS_PER_PERSON, limits } from './limits.js';
import { takeLimit } from './rate-limits.js';

/** 32 hexadecimal digits, as in Discord's hashes. */
const HASH_BYTES = 16;

/** An application's icon is also the avatar of a bot without its own. */
export interface IconOwner {
  folder: 'app-icons' | 'team-icons' | 'guild-icons' | 'avatars';
  id: bigint;
}

/** A PNG, JPEG, GIF or WebP image, or a function that reads it once rate limits allow it. */
export type IconSource = Buffer | (() => Promise<Buffer>);

interface IconKind {
  field: string;
  fit(images: Images, content: Buffer): Promise<KeptImage | null>;
}

const SQUARE: IconKind = { field: 'icon', fit: (images, content) => images.square(content) };

/** A cover image keeps its proportions. */
export const COVER: IconKind = { field: 'cover', fit: (images, content) => images.cover(content) };

function iconKey({ folder, id }: IconOwner, hash: string, format: ImageFormat): string {
  return `${folder}/${id}/${hash}.${format}`;
}

/**
 * Checks and stores an icon. It is shown once the owner's row has the hash.
 * @returns a new hash for every upload, so that removing an old icon never removes a new one
 * @throws INVALID_INPUT at the field of the kind, RATE_LIMITED, OVERLOADED, and what `icon` throws
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
  const image = await fit(call.images, content).catch(tooManyImages);
  if (!image) {
    const message = 'Must be a PNG, JPEG, GIF or WebP image with at most 16 million pixels and 8,192 pixels per side.';
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

/** Null removes the icon; undefined keeps it. */
type WantedIcon = IconSource | null | undefined;

/**
 * Stores a new icon, changes the row, and then removes the icon that the row does not show.
 * @param change stores the hash in the row
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

type ChangeOfIcon<Row> = (hash: string | null | undefined) => Promise<{ before: Row; after: Row }>;

/** As {@link changeWithIcon}, but also returns the old row, so that changes can be nested. */
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

/** Rethrows other errors. @throws OVERLOADED */
export function tooManyImages(error: unknown): never {
  if (!(error instanceof TooManyImages)) throw error;
  const message = 'Too many images are being uploaded. Try again in a moment.';
  throw new DomainError('OVERLOADED', message, { retryAfterMs: TRY_AGAIN_MS, cause: error });
}

/** Routes limit bots. @throws RATE_LIMITED */
export async function limitImages(call: CallContext): Promise<void> {
  const { actor } = call;
  if (actor.kind !== 'person') return;
  await takeLimit(
    call,
    ICONS_PER_PERSON,
    String(actor.user.id),
    () => 'You are uploading images too fast. Try again in a moment.',
  );
}

/** Removes an icon's files unless its owner still shows it. Logs failures. */
export async function dropIcon(call: CallContext, owner: IconOwner, hash: string): Promise<void> {
  try {
    if (await isShown(call, owner, hash)) return;
    await Promise.all(IMAGE_FORMATS.map((format) => call.blobs.remove(iconKey(owner, hash, format))));
  } catch (error) {
    const of = `${owner.folder}/${owner.id}`;
    call.log.warn({ err: error, of }, 'Could not remove the files of an unused icon; they remain in storage');
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

const showing = (hash: string | { not: null }) => ({ OR: [{ iconHash: hash }, { coverHash: hash }] });

/** `size` is in bytes. */
export async function findIcon(
  blobs: BlobStore,
  input: { owner: IconOwner; hash: string; format: ImageFormat },
): Promise<{ key: string; size: number } | null> {
  const key = iconKey(input.owner, input.hash, input.format);
  const size = await blobs.size(key);
  return size === null ? null : { key, size };
}

/** Folders to search for a public icon path, in order. A bot's avatar falls back to its application's icon. */
export const ICON_FOLDERS = {
  'app-icons': ['app-icons'],
  avatars: ['avatars', 'app-icons'],
  'team-icons': ['team-icons'],
  icons: ['guild-icons'],
} as const satisfies Record<string, readonly IconOwner['folder'][]>;

export type IconName = keyof typeof ICON_FOLDERS;

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

export const teamIcons: KeptFiles = {
  folder: 'team-icons',
  knowsAny: async ({ team }) => (await team.findFirst({ where: WITH_ICON, select: { id: true } })) !== null,
  withRow: async ({ team }, keys) =>
    shownOf(keys, (ids) => team.findMany({ where: { id: { in: ids } }, select: ID_AND_ICON })),
};

export const guildIcons: KeptFiles = {
  folder: 'guild-icons',
  knowsAny: async ({ guild }) => (await guild.findFirst({ where: WITH_ICON, select: { id: true } })) !== null,
  withRow: async ({ guild }, keys) =>
    shownOf(keys, (ids) => guild.findMany({ where: { id: { in: ids } }, select: ID_AND_ICON })),
};

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

/** Returns the keys that are shown by their owner or are not icons. */
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
