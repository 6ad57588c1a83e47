import { PLATFORM_ID } from '../../domain/platform/index.js';
import { idSpaceOf, parseSnowflake } from '../../infra/ids.js';
import type { BotsOfCloud } from './known-bots.js';

/** What a box may name (docs/relay.md, R-33, R-35). */
export interface OwnNames {
  idSpace: number;
  /** Its announced guilds; of an event or an answer the one that it is about. */
  guildIds: ReadonlySet<bigint>;
  bots: Pick<BotsOfCloud, 'userOf' | 'webhookOf'>;
}

/** What a box may name in what is about one of its guilds. */
export function ownNamesOf(guildId: bigint, bots: OwnNames['bots']): OwnNames {
  return { idSpace: idSpaceOf(guildId), guildIds: new Set([guildId]), bots };
}

/** How deep objects and lists may stand in each other, and how many there may be. */
const MAX_DEPTH = 16;
const MAX_NODES = 200_000;
/** Bots of the cloud that one value may name. */
const MAX_BOTS = 1_000;

/** What people write, or is free for other reasons: no client looks up somebody or something by what stands in there. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'embeds',
  'components',
  'changes',
  'activities',
  'nonce',
  // Of a refusal: named as the fields of the request are, with faults in place of ids.
  'errors',
  // Of interactions, installations and stickers the cloud, or nobody, has the rows; and an entry of an audit log may have any target.
  'target_id',
  'custom_id',
  'session_id',
  'integration_id',
  'subscription_listing_id',
  'emoji_id',
  'sku_id',
]);

/** Objects whose own `id` is not the box's: emojis that others made, what the cloud has the rows of. */
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

/** Objects and lists that hold users, whatever they have beside their ids. */
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

/** Lists of ids. */
const ID_LISTS: ReadonlySet<string> = new Set(['ids', 'roles', 'mention_roles', 'user_ids', 'message_ids', 'channels']);

/** Names of pictures, which clients make addresses of: hashes, and nothing that leads elsewhere. */
const PICTURES: ReadonlySet<string> = new Set(['avatar', 'icon', 'banner', 'splash', 'discovery_splash']);
const PICTURE = /^\w{1,100}$/;

/** Where a file is: something that is fetched over HTTP. Where that leads is the box's to say, whose files they are. */
const FILE_FIELDS: ReadonlySet<string> = new Set(['url', 'proxy_url']);
const FILE_ADDRESS = /^https?:\/\/[^/\s]/i;

/** Keys that clients may take for ids, as those of a map of users. */
const ID_KEY = /^\d{15,20}$/;

/** What a user object may have beside what the cloud shows of a bot. */
const BESIDE_BOTS: ReadonlySet<string> = new Set(['member']);

/** Names that stand where others have ids, such as those of voice regions. */
const NO_SNOWFLAKE = /^[a-z][a-z-]*$/i;

/** The key of the person in an object that says by whose installs an application was asked; that of the guild is `0`. */
const OWNERS = 'authorizing_integration_owners';

/** Why a value may not be passed on; thrown within this file only. */
class Foreign extends Error {}

/**
 * Whether a value that a box sent, as JSON was parsed, names guilds, channels, messages and people of its own only, or bots of the cloud, which
 * say that they are bots, and the cloud's webhooks of its guild. Every `id`, and every field whose name ends like one, is looked at, but
 * for those that are known to be free: clients find what they remember by ids alone, so that a message or a person under another's id would stand
 * for the other. For the same reason the cloud's bots are shown as the cloud does: what the box says of their looks is replaced in `value`.
 * @returns why not, or null. What the same JSON says twice is as it was parsed: pass on the parsed value, not its text
 */
export async function namesOnlyItsOwn(value: unknown, of: OwnNames): Promise<string | null> {
  try {
    const walk = new Walk(of);
    walk.into(value, '', 0);
    for (const id of walk.others) {
      if (!(await of.bots.userOf(id))) return `names ${id}, which is not the box's`;
    }
    for (const posted of walk.posted)
      if (!(await isOwnPost(posted, of))) return `names the webhook ${posted.webhookId}`;
    for (const shown of walk.shown) await showAsCloud(shown, of);
    return null;
  } catch (error) {
    if (error instanceof Foreign) return error.message;
    throw error;
  }
}

/** A user object of a bot of the cloud. */
interface Shown {
  id: bigint;
  object: object;
}

/** What says that a webhook posted it; its author is null where none is named. */
interface Posted {
  webhookId: bigint;
  authorId: bigint | null;
}

/** A webhook of the cloud posts to its guild, as its application's bot, and what the platform answers has itself for its webhook. */
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
  /** Ids without the box's id space. */
  readonly others = new Set<bigint>();
  readonly shown: Shown[] = [];
  /** By webhook and author, each once. */
  readonly #posted = new Map<string, Posted>();
  /** Ids that were looked at: most of them come several times. */
  readonly #seen = new Set<unknown>();
  readonly #guilds: ReadonlySet<unknown>;
  #nodes = 0;

  constructor(private readonly of: OwnNames) {
    this.#guilds = new Set([...of.guildIds].map(String));
  }

  get posted(): Iterable<Posted> {
    return this.#posted.values();
  }

  /** @param field under which the value stands, or the list that it stands in */
  into(value: unknown, field: string, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) throw new Foreign('is too deep or too large');
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
    if (!('bot' in value) || value.bot !== true) throw new Foreign(`names ${id} as a person, which is not the box's`);
    this.#other(id);
    this.shown.push({ id, object: value });
  }

  /** What says who posted it, or only that it was a webhook. */
  #webhook(value: unknown, message: object): void {
    const webhookId = this.#snowflake(value, 'webhook_id');
    const author = 'author' in message ? message.author : null;
    const named = typeof author === 'object' && author !== null && 'id' in author ? author.id : null;
    const authorId = named === null ? null : this.#snowflake(named, 'author');
    if (this.#isOwn(webhookId)) {
      if (authorId !== null && !this.#isOwn(authorId))
        throw new Foreign(`has a webhook of its own post as ${authorId}`);
      return;
    }
    this.#posted.set(`${webhookId} ${authorId}`, { webhookId, authorId });
    if (this.#posted.size > MAX_BOTS) throw new Foreign('names too many webhooks');
  }

  #picture(value: unknown, field: string): void {
    if (typeof value === 'string' && !PICTURE.test(value)) throw new Foreign(`has no picture in ${field}`);
  }

  #address(value: unknown): void {
    if (typeof value !== 'string' || !FILE_ADDRESS.test(value)) throw new Foreign('has a file at no address of HTTP');
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
    throw new Foreign('names a guild that it is not about');
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
    if (this.others.size > MAX_BOTS) throw new Foreign('names too many that are not the box’s');
  }
}
