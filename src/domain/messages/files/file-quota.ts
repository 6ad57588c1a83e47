import { LRUCache } from 'lru-cache';
import { atMost } from '../../../infra/caching/at-most.js';
import { CACHE_MS } from '../../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../../infra/clock.js';
import type { Reader } from '../../../infra/database/index.js';
import type { CallContext } from '../../call.js';
import { DomainError } from '../../errors.js';
import type { InstanceLimits } from '../../instance-limits/instance-limits.js';

/** In bytes: the approximate disk space of the smallest file and its row. */
const LEAST_BYTES = 4_096;

const MIB = 1024 * 1024;

const MAX_ACCOUNTS = 10_000;

interface Sum {
  bytes: number;
  readAt: number;
}

/**
 * Limits an account's storage for files of messages, commands and modals. The sum is read at most every
 * {@link CACHE_MS}. In between, this process adds what it stores, and deleted files still count.
 */
export class FileQuota {
  readonly #sums = new LRUCache<bigint, Promise<Sum>>(atMost(MAX_ACCOUNTS));

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly limits: InstanceLimits,
  ) {}

  /** @throws LIMIT_EXCEEDED */
  async take(accountId: bigint, sizes: readonly number[]): Promise<void> {
    const bytes = sizes.reduce((sum, size) => sum + Math.max(size, LEAST_BYTES), 0);
    const sum = await this.#sumOf(accountId);
    const subject = String(accountId);
    const megabytes = this.limits.valueOf('FILES', subject);
    if (sum.bytes + bytes > megabytes * MIB) {
      this.limits.refusals.note('FILES', subject, null);
      const message = `Your files would exceed the storage limit of ${megabytes} MiB. Delete messages with files to make room.`;
      throw new DomainError('LIMIT_EXCEEDED', message);
    }
    sum.bytes += bytes;
  }

  async #sumOf(accountId: bigint): Promise<Sum> {
    const known = await this.#sums.get(accountId);
    if (known && this.clock.now() - known.readAt < CACHE_MS) return known;
    const reading = this.#read(accountId);
    this.#sums.set(accountId, reading);
    reading.catch(() => this.#sums.delete(accountId));
    return reading;
  }

  async #read(accountId: bigint): Promise<Sum> {
    const readAt = this.clock.now();
    const [row] = await this.reader.$queryRaw<{ bytes: number }[]>`
      SELECT CAST(COALESCE(SUM(CASE WHEN "size" < ${LEAST_BYTES} THEN ${LEAST_BYTES} ELSE "size" END), 0) AS DOUBLE PRECISION) AS "bytes"
      FROM (
        SELECT "size" FROM "Attachment" WHERE "accountId" = ${accountId}
        UNION ALL SELECT "size" FROM "InteractionFile" WHERE "accountId" = ${accountId}
      ) AS "files"`;
    return { bytes: row?.bytes ?? 0, readAt };
  }
}

/** An application's files count for its owner. */
export async function accountOf({ actor, applications, read }: CallContext): Promise<bigint | null> {
  switch (actor.kind) {
    case 'anonymous':
    case 'machine':
      return null;
    case 'person':
      return actor.user.id;
    case 'bot':
    case 'token':
    case 'interaction':
    case 'webhook': {
      const applicationId = 'applicationId' in actor ? actor.applicationId : actor.application.id;
      const application = await applications.application(applicationId);
      // On a box, a cloud bot has no application row and counts for itself.
      if (!application) return applicationId;
      const { ownerUserId, ownerTeamId } = application;
      if (ownerTeamId === null) return ownerUserId;
      const team = await read.team.findUnique({ where: { id: ownerTeamId }, select: { ownerUserId: true } });
      return team?.ownerUserId ?? ownerTeamId;
    }
  }
}
