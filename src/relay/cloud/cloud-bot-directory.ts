import type { APIUser } from 'discord-api-types/v10';
import { LRUCache } from 'lru-cache';
import type { ApplicationViews } from '../../domain/applications/index.js';
import { INSTALLING_MS } from '../../domain/installations/index.js';
import { PLATFORM_ID } from '../../domain/platform/index.js';
import { atMost } from '../../infra/caching/at-most.js';
import { LoadingCache } from '../../infra/caching/loading-cache.js';
import { CACHE_MS } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { chunksOf } from '../../infra/concurrency/event-loop.js';
import type { Reader } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import { renderUser } from '../../wire/users.js';

const MAX_IDS = 50_000;

/** SQLite takes 999 parameters per query. */
const IDS_PER_QUERY = 400;

export interface WebhookOfCloud {
  guildId: bigint;
  /** Equals the id of the application's bot. */
  applicationId: bigint;
}

/** The cloud's data about its bots, which no box can override (docs/relay.md, R-35). */
export interface BotsOfCloud {
  /** Includes bots of deleted applications. Null if no bot has the id. */
  userOf(id: bigint): Promise<APIUser | null> | APIUser | null;
  /** Includes deleted webhooks, because their messages remain. */
  webhookOf(id: bigint): Promise<WebhookOfCloud | null> | WebhookOfCloud | null;
  /** The platform's own bot is installed everywhere. */
  isInstalled(botId: bigint, guildId: bigint): Promise<boolean> | boolean;
  wasInstalled(botId: bigint, guildId: bigint): Promise<boolean> | boolean;
}

const WEBHOOK = { guildId: true, applicationId: true } as const;

/** A bot of a deleted application no longer changes. */
interface Seen {
  user: APIUser;
  isDeleted: boolean;
}

export class CloudBotDirectory implements BotsOfCloud {
  readonly #bots: LRUCache<bigint, Seen>;
  /** Ids of no bot; they expire, because a bot may get such an id later. */
  readonly #others: LRUCache<bigint, true>;
  readonly #webhooks = new LoadingCache<bigint, WebhookOfCloud>({
    max: MAX_IDS,
    load: (id) => this.reader.webhook.findUnique({ where: { id }, select: WEBHOOK }),
  });
  readonly #installed: LRUCache<string, true>;

  constructor(
    private readonly reader: Reader,
    clock: Clock,
    private readonly applications: Pick<ApplicationViews, 'application'>,
  ) {
    const forAWhile = { ...atMost(MAX_IDS), ttl: CACHE_MS, ttlResolution: 0, perf: clock };
    this.#bots = new LRUCache(forAWhile);
    this.#others = new LRUCache(forAWhile);
    this.#installed = new LRUCache(forAWhile);
  }

  async has(id: bigint): Promise<boolean> {
    return (await this.userOf(id)) !== null;
  }

  async userOf(id: bigint): Promise<APIUser | null> {
    await this.among([id]);
    const seen = this.#bots.get(id);
    if (!seen || seen.isDeleted) return seen?.user ?? null;
    const application = await this.applications.application(id);
    if (application) return renderUser(application.bot);
    this.#bots.set(id, { ...seen, isDeleted: true });
    return seen.user;
  }

  async among(ids: readonly bigint[]): Promise<bigint[]> {
    const unknown = ids.filter((id) => !isMadeByBox(id) && !this.#bots.has(id) && !this.#others.has(id));
    const found = new Set(ids.filter((id) => this.#bots.has(id)));
    for (const piece of chunksOf([...new Set(unknown)], IDS_PER_QUERY)) {
      const where = { id: { in: piece } };
      const bots = await this.reader.application.findMany({ where, select: { id: true, bot: true, deletedAt: true } });
      for (const id of piece) this.#others.set(id, true);
      for (const { id, bot, deletedAt } of bots) {
        this.#others.delete(id);
        this.#bots.set(id, { user: renderUser(bot), isDeleted: deletedAt !== null });
        found.add(id);
      }
    }
    return [...found];
  }

  webhookOf(id: bigint): Promise<WebhookOfCloud | null> {
    return this.#webhooks.get(id);
  }

  /** The bot's events may arrive before the installation is stored. */
  noteInstalling(botId: bigint, guildId: bigint): void {
    this.#installed.set(`${botId} ${guildId}`, true, { ttl: INSTALLING_MS });
  }

  async isInstalled(botId: bigint, guildId: bigint): Promise<boolean> {
    if (botId === PLATFORM_ID) return true;
    const key = `${botId} ${guildId}`;
    if (this.#installed.has(key)) return true;
    const where = { applicationId_guildId: { applicationId: botId, guildId } };
    const installation = await this.reader.installation.findUnique({ where, select: { id: true } });
    if (installation) this.#installed.set(key, true);
    return installation !== null;
  }

  async wasInstalled(botId: bigint, guildId: bigint): Promise<boolean> {
    if (await this.isInstalled(botId, guildId)) return true;
    const where = { guildId, action: 'INSTALLATION_PUT', applicationId: botId };
    return (await this.reader.auditEntry.findFirst({ where, select: { id: true } })) !== null;
  }
}
