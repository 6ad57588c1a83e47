import { PLATFORM_ID } from '../../domain/platform/index.js';
import { idSpaceOf, parseSnowflake } from '../../infra/ids/ids.js';
import type { BotsOfCloud } from './cloud-bot-directory.js';

/** Ids that a box may use (docs/relay.md, R-33, R-35). */
export interface OwnNames {
  idSpace: number;
  /** For an event or a response, only the guild that it is about. */
  guildIds: ReadonlySet<bigint>;
  bots: Pick<BotsOfCloud, 'userOf' | 'webhookOf'>;
}

export function ownNamesOf(guildId: bigint, bots: OwnNames['bots']): OwnNames {
  return { idSpace: idSpaceOf(guildId), guildIds: new Set([guildId]), bots };
}

const MAX_DEPTH = 16;
const MAX_NODES = 200_000;
/** Limit of the cloud's bots, and of webhooks. */
const MAX_BOTS = 1_000;

/** User content, and other fields that clients use for no lookup. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'embeds',
  'components',
  'changes',
  'activities',
  'nonce',
  // Keyed by the fields of the request.
  'errors',
  // Rows outside the box, and targets in an audit log.
  'target_id',
  'custom_id',
  'session_id',
  'integration_id',
  'subscription_listing_id',
  'emoji_id',
  'sku_id',
]);

/** Objects whose own `id` may be foreign. */
const FOREIGN_OBJECTS: ReadonlySet<string> = new Set([
  'emoji',
  'interaction',
  'interaction_metadata',
  'triggering_interaction_metadata',
  'webhook',
  'webhooks',
  'integrations',
  'integration',
  'application_commands',
  'sticker_items',
  'stickers',
]);

/** Fields with users, even if an object contains only an id. */
const USERS: ReadonlySet<string> = new Set([
  'user',
  'users',
  'author',
  'mentions',
  'inviter',
  'target_user',
  'creator',
  'recipients',
]);

const ID_LISTS: ReadonlySet<string> = new Set(['ids', 'roles', 'mention_roles', 'user_ids', 'message_ids', 'channels']);

/** Clients build URLs from image hashes. */
const PICTURES: ReadonlySet<string> = new Set(['avatar', 'icon', 'banner', 'splash', 'discovery_splash']);
const PICTURE = /^\w{1,100}$/;

/** Fields with HTTP URLs of files. The box may choose them. */
const FILE_FIELDS: ReadonlySet<string> = new Set(['url', 'proxy_url']);
const FILE_ADDRESS = /^https?:\/\/[^/\s]/i;

/** Keys that clients may take for ids. */
const ID_KEY = /^\d{15,20}$/;

/** Fields that a box may add to a bot's user. */
const BESIDE_BOTS: ReadonlySet<string> = new Set(['member']);

/** Names in fields for ids, such as voice regions. */
const NO_SNOWFLAKE = /^[a-z][a-z-]*$/i;

/** Key `0` is the guild; others are users. */
const OWNERS = 'authorizing_integration_owners';

class Foreign extends Error {}

/**
 * Checks that a box's JSON contains only its own ids, the cloud's bots, marked as bots, and the cloud's webhooks of its
 * guild.
 * Clients cache objects by id alone, so a foreign id would replace another object. In `value`, user objects of the
 * cloud's bots are replaced with the cloud's own.
 * @returns the reason for a refusal, or null. Pass on `value`, not its text, which may contain duplicate keys
 */
export async function namesOnlyItsOwn(value: unknown, of: OwnNames): Promise<string | null> {
  try {
    const walk = new Walk(of);
    walk.into(value, '', 0);
    for (const id of walk.others) {
      if (!(await of.bots.userOf(id))) return `names ${id}, which does not belong to the box`;
    }
    for (const posted of walk.posted)
      if (!(await isOwnPost(posted, of))) return `names the foreign webhook ${posted.webhookId}`;
    for (const shown of walk.shown) await showAsCloud(shown, of);
    return null;
  } catch (error) {
    if (error instanceof Foreign) return error.message;
    throw error;
  }
}

interface Shown {
  id: bigint;
  object: object;
}

interface Posted {
  webhookId: bigint;
  authorId: bigint | null;
}

/** The platform's own messages have the platform as webhook and author. */
async function isOwnPost({ webhookId, authorId }: Posted, { bots, guildIds }: OwnNames): Promise<boolean> {
  if (webhookId === PLATFORM_ID) return authorId === PLATFORM_ID;
  const webhook = await bots.webhookOf(webhookId);
  if (!webhook || !guildIds.has(webhook.guildId)) return false;
  return authorId === null || authorId === webhook.applicationId;
}

async function showAsCloud({ id, object }: Shown, { bots }: OwnNames): Promise<void> {
  const user = await bots.userOf(id);
  if (!user) return;
  for (const field of Object.keys(object)) {
    if (!(field in user) && !BESIDE_BOTS.has(field)) Reflect.deleteProperty(object, field);
  }
  Object.assign(object, user);
}

class Walk {
  /** Ids outside the box's id space. */
  readonly others = new Set<bigint>();
  readonly shown: Shown[] = [];
  readonly #posted = new Map<string, Posted>();
  /** Most ids repeat. */
  readonly #seen = new Set<unknown>();
  readonly #guilds: ReadonlySet<unknown>;
  #nodes = 0;

  constructor(private readonly of: OwnNames) {
    this.#guilds = new Set([...of.guildIds].map(String));
  }

  get posted(): Iterable<Posted> {
    return this.#posted.values();
  }

  /** @param field key of the value, or of its list */
  into(value: unknown, field: string, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) throw new Foreign('is nested too deeply or too large');
    if (Array.isArray(value)) {
      for (const entry of value) {
        if (typeof entry === 'object') this.into(entry, field, depth + 1);
        else if (ID_LISTS.has(field)) this.#id(entry, field);
      }
      return;
    }
    if (field === OWNERS) this.#owners(value);
    else this.#object(value, field, depth);
  }

  #object(value: object, field: string, depth: number): void {
    const isUser = USERS.has(field) || 'username' in value;
    if (isUser) this.#user(value);
    for (const [key, inner] of Object.entries(value)) {
      if (inner === null || inner === undefined) continue;
      if (ID_KEY.test(key)) this.#id(key, field);
      if (PICTURES.has(key)) this.#picture(inner, key);
      else if (field === 'attachments' && FILE_FIELDS.has(key)) this.#address(inner);
      if (key === 'id') {
        if (!isUser && !FOREIGN_OBJECTS.has(field)) this.#id(inner, field);
      } else if (key.endsWith('_id')) {
        if (key === 'guild_id') this.#guild(inner);
        else if (key === 'webhook_id') this.#webhook(inner, value);
        else if (!FREE_FIELDS.has(key)) this.#id(inner, key);
      } else if (typeof inner === 'object' && !FREE_FIELDS.has(key)) this.into(inner, key, depth + 1);
    }
  }

  #user(value: object): void {
    const id = 'id' in value ? this.#snowflake(value.id, 'user') : null;
    if (id === null) throw new Foreign('names a user without an id');
    if (this.#isOwn(id)) return;
    if (!('bot' in value) || value.bot !== true)
      throw new Foreign(`names ${id} as a person who does not belong to the box`);
    this.#other(id);
    this.shown.push({ id, object: value });
  }

  #webhook(value: unknown, message: object): void {
    const webhookId = this.#snowflake(value, 'webhook_id');
    const author = 'author' in message ? message.author : null;
    const named = typeof author === 'object' && author !== null && 'id' in author ? author.id : null;
    const authorId = named === null ? null : this.#snowflake(named, 'author');
    if (this.#isOwn(webhookId)) {
      if (authorId !== null && !this.#isOwn(authorId))
        throw new Foreign(`shows a post of its own webhook as ${authorId}`);
      return;
    }
    this.#posted.set(`${webhookId} ${authorId}`, { webhookId, authorId });
    if (this.#posted.size > MAX_BOTS) throw new Foreign('names too many webhooks');
  }

  #picture(value: unknown, field: string): void {
    if (typeof value === 'string' && !PICTURE.test(value)) throw new Foreign(`has no image hash in ${field}`);
  }

  #address(value: unknown): void {
    if (typeof value !== 'string' || !FILE_ADDRESS.test(value)) throw new Foreign('has a file without an HTTP URL');
  }

  #id(value: unknown, field: string): void {
    if (this.#seen.has(value)) return;
    if (typeof value === 'string' && NO_SNOWFLAKE.test(value)) return;
    const id = this.#snowflake(value, field);
    if (!this.#isOwn(id)) this.#other(id);
    this.#seen.add(value);
  }

  #guild(value: unknown): void {
    if (this.#guilds.has(value)) return;
    throw new Foreign('names another guild');
  }

  #owners(value: object): void {
    for (const [key, id] of Object.entries(value)) {
      if (key === '0') this.#guild(id);
      else this.#id(id, OWNERS);
    }
  }

  #snowflake(value: unknown, field: string): bigint {
    const id = typeof value === 'string' ? parseSnowflake(value) : undefined;
    if (id === undefined) throw new Foreign(`has no id in ${field}`);
    return id;
  }

  #isOwn(id: bigint): boolean {
    return idSpaceOf(id) === this.of.idSpace;
  }

  #other(id: bigint): void {
    this.others.add(id);
    if (this.others.size > MAX_BOTS) throw new Foreign('names too many ids that do not belong to the box');
  }
}
